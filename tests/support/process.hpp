#pragma once
// The headrace program as a child process.

#include <sys/types.h>

#include <string>
#include <vector>

namespace headrace::support {

class Process {
 public:
  /// Starts build/bin/headrace, or the program that the environment's HEADRACE_TEST_PROGRAM names, with these arguments
  /// and waits for its ready line. Throws std::runtime_error when the process ends before that; its standard error goes
  /// to the test's.
  explicit Process(const std::vector<std::string>& arguments);
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  const std::string& ready_line() const noexcept { return ready_line_; }
  /// "127.0.0.1:PORT" of the plane, "http" or "admin", from the ready line.
  std::string address(const std::string& plane) const;
  void signal(int number) const;
  /// Waits for its end; the exit status, or 128 + the signal that ended it.
  int wait();

 private:
  pid_t pid_ = -1;
  std::string ready_line_;
};

}  // namespace headrace::support
