#include "tests/gpu/cuda/nvtx_record.hpp"

#include <gtest/gtest.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <utility>

extern char** environ;

namespace headrace::support {
namespace {

using Words = std::vector<std::string>;

constexpr const char* child_mark = "HEADRACE_TEST_CHILD";

/// This process's environment, without what would choose other tests or another profiler, and `more`.
Words environment_with(const Words& more) {
  Words all = more;
  for (char** at = environ; *at != nullptr; ++at) {
    const std::string_view word = *at;
    if (!word.starts_with("GTEST_") && !word.starts_with("NVTX_INJECTION")) all.emplace_back(word);
  }
  return all;
}

std::vector<char*> pointers(Words& words) {
  std::vector<char*> found;
  for (std::string& word : words) found.push_back(word.data());
  found.push_back(nullptr);
  return found;
}

std::string name_of_this_test() {
  const testing::TestInfo& test = *testing::UnitTest::GetInstance()->current_test_info();
  return std::string(test.test_suite_name()) + '.' + test.name();
}

int run_this_test_with(Words environment) {
  environment.push_back(std::string(child_mark) + "=1");
  Words variables = environment_with(environment);
  Words words{std::filesystem::read_symlink("/proc/self/exe"), "--gtest_filter=" + name_of_this_test()};
  pid_t pid = -1;
  if (posix_spawn(&pid, words.front().c_str(), nullptr, nullptr, pointers(words).data(), pointers(variables).data()) !=
      0) {
    throw std::runtime_error("cannot start " + words.front());
  }
  int status = 0;
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

Words fields_of(const std::string& line) {
  Words fields;
  std::istringstream stream(line);
  for (std::string field; std::getline(stream, field, '\t');) fields.push_back(field);
  return fields;
}

class Reader {
 public:
  explicit Reader(NvtxRecord& record) : record_(record) {}

  void read(const std::string& line) {
    const Words fields = fields_of(line);
    if (fields.size() == 2 && fields[0] == "domain") {
      record_.domains.push_back(fields[1]);
    } else if (fields.size() == 4 && fields[0] == "push" && is_known(fields[1])) {
      const int thread = std::stoi(fields[2]);
      record_.ranges[thread].push_back(std::string(2 * open_[thread].size(), ' ') + fields[3]);
      open_[thread].push_back(fields[3]);
    } else if (fields.size() == 3 && fields[0] == "pop" && is_known(fields[1]) &&
               !open_[std::stoi(fields[2])].empty()) {
      open_[std::stoi(fields[2])].pop_back();
    } else {
      record_.faults.push_back(line);
    }
  }
  void end() {
    for (const auto& [thread, messages] : open_) {
      for (const std::string& message : messages) record_.faults.push_back("never ended: " + message);
    }
  }

 private:
  bool is_known(const std::string& domain) const {
    return std::ranges::find(record_.domains, domain) != record_.domains.end();
  }

  NvtxRecord& record_;
  std::map<int, Words> open_;
};

std::string recorder_path() {
  const char* const elsewhere = std::getenv("HEADRACE_TEST_NVTX_RECORDER");
  std::string path = elsewhere != nullptr ? elsewhere : HEADRACE_NVTX_RECORDER;
  if (!std::filesystem::exists(path))
    throw std::runtime_error("HEADRACE_TEST_NVTX_RECORDER: expected the recorder's library at " + path);
  return path;
}

}  // namespace

bool in_child() noexcept { return std::getenv(child_mark) != nullptr; }

NvtxRecord record_this_test() {
  const std::string file = testing::TempDir() + "nvtx_record." + std::to_string(getpid());
  NvtxRecord record;
  record.exit_status =
      run_this_test_with({"NVTX_INJECTION64_PATH=" + recorder_path(), "HEADRACE_TEST_NVTX_RECORD=" + file});
  Reader reader(record);
  std::ifstream lines(file);
  for (std::string line; std::getline(lines, line);) reader.read(line);
  reader.end();
  std::filesystem::remove(file);
  return record;
}

int run_this_test() { return run_this_test_with({}); }

}  // namespace headrace::support
