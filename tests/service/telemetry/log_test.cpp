#include "service/telemetry/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <thread>
#include <vector>

namespace headrace::telemetry {
namespace {

using testing::HasSubstr;
using testing::SizeIs;

class Log : public testing::Test {
 protected:
  Log() { std::filesystem::remove(path_); }
  ~Log() override {
    log_stop();
    std::filesystem::remove(path_);
  }

  std::vector<std::string> lines() const {
    std::ifstream file(path_);
    std::vector<std::string> all;
    for (std::string line; std::getline(file, line);) all.push_back(line);
    return all;
  }

  const std::string path_ = (std::filesystem::temp_directory_path() / ("headrace_log_test." + std::to_string(::getpid()))).string();
};

TEST_F(Log, StopWritesWhatIsQueued) {
  log_start(LogLevel::info, LogFormat::text, path_);
  for (int i = 0; i < 500; ++i) log(LogLevel::info, "line", {{"i", std::to_string(i)}});
  log_stop();
  const auto all = lines();
  ASSERT_THAT(all, SizeIs(500));
  EXPECT_THAT(all.front(), HasSubstr("info    line i=0"));
  EXPECT_THAT(all.back(), HasSubstr("i=499"));
}

TEST_F(Log, BelowTheLevelNothingIsWritten) {
  log_start(LogLevel::warning, LogFormat::json, path_);
  log(LogLevel::info, "quiet");
  log(LogLevel::error, "loud");
  log_stop();
  const auto all = lines();
  ASSERT_THAT(all, SizeIs(1));
  EXPECT_THAT(all.front(), HasSubstr(R"("level":"error","message":"loud")"));
}

TEST_F(Log, MarksOfTheFormatterInAMessageMeanNothing) {
  log_start(LogLevel::info, LogFormat::text, path_);
  log(LogLevel::info, "100% {} {0} %v %n", {{"k", "{}"}});
  log_stop();
  ASSERT_THAT(lines(), SizeIs(1));
  EXPECT_THAT(lines().front(), HasSubstr("100% {} {0} %v %n k={}"));
}

TEST_F(Log, AFileThatCannotBeOpenedIsAnErrorAtTheStart) {
  EXPECT_THROW(log_start(LogLevel::info, LogFormat::text, "/proc/no/such/folder/log"), std::runtime_error);
  log(LogLevel::info, "and logging goes on to be harmless");
}

TEST_F(Log, ManyThreadsAndAStopInTheirMidst) {
  log_start(LogLevel::info, LogFormat::text, path_);
  {
    std::vector<std::jthread> threads;
    for (int t = 0; t < 4; ++t) {
      threads.emplace_back([] {
        for (int i = 0; i < 300; ++i) log(LogLevel::info, "line");
      });
    }
    log_stop();
  }
  for (const auto& line : lines()) EXPECT_THAT(line, HasSubstr("info    line"));
}

TEST_F(Log, AThrottleSaysWhatItLeftOut) {
  log_start(LogLevel::info, LogFormat::text, path_);
  LogThrottle throttle(1);
  constexpr std::size_t calls = 100;
  for (std::size_t i = 0; i < calls; ++i) throttle.log(LogLevel::warning, "again");
  log_stop();
  const auto all = lines();
  ASSERT_FALSE(all.empty());
  EXPECT_LT(all.size(), calls) << "seconds may pass meanwhile, but not one a call";
  EXPECT_THAT(all.front(), testing::Not(HasSubstr("suppressed")));
}

}  // namespace
}  // namespace headrace::telemetry
