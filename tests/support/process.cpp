#include "tests/support/process.hpp"

#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

extern char** environ;

namespace headrace::support {

Process::Process(const std::vector<std::string>& arguments) {
  std::array<int, 2> output{};
  if (pipe(output.data()) != 0) throw std::runtime_error("pipe failed");
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, output[1], STDOUT_FILENO);
  posix_spawn_file_actions_addclose(&actions, output[0]);
  const char* const elsewhere = std::getenv("HEADRACE_TEST_PROGRAM");
  std::string program = elsewhere != nullptr ? elsewhere : HEADRACE_BINARY_DIR "/bin/headrace";
  std::vector<std::string> words = arguments;
  std::vector<char*> argv{program.data()};
  for (auto& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  const int failed = posix_spawn(&pid_, program.c_str(), &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(output[1]);
  if (failed != 0) throw std::runtime_error("cannot start " + program);
  FILE* const lines = fdopen(output[0], "r");
  std::array<char, 4096> line{};
  const bool got = std::fgets(line.data(), line.size(), lines) != nullptr;
  std::fclose(lines);
  if (!got) throw std::runtime_error("headrace ended before it was ready");
  ready_line_ = line.data();
}

Process::~Process() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  wait();
}

std::string Process::address(const std::string& plane) const {
  const std::string mark = " " + plane + " http://";
  const auto begin = ready_line_.find(mark) + mark.size();
  return ready_line_.substr(begin, ready_line_.find(' ', begin) - begin);
}

void Process::signal(int number) const { kill(pid_, number); }

int Process::wait() {
  int status = 0;
  waitpid(pid_, &status, 0);
  pid_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace headrace::support
