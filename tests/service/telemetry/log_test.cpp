#include "service/telemetry/log.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <csignal>
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

  const std::string path_ =
      (std::filesystem::temp_directory_path() / ("headrace_log_test." + std::to_string(::getpid()))).string();
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

TEST_F(Log, ASignalDoesNotLandOnTheWriter) {
  log_start(LogLevel::info, LogFormat::text, path_);
  sigset_t stop;
  sigemptyset(&stop);
  sigaddset(&stop, SIGUSR2);
  pthread_sigmask(SIG_BLOCK, &stop, nullptr);
  ASSERT_EQ(::kill(::getpid(), SIGUSR2), 0) << "on a thread that lets it through it would end this process";
  int taken = 0;
  EXPECT_EQ(sigwait(&stop, &taken), 0);
  EXPECT_EQ(taken, SIGUSR2);
  pthread_sigmask(SIG_UNBLOCK, &stop, nullptr);
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

TEST_F(Log, AStalledDiskHoldsNoCallerUpAndTheOldestLinesGo) {
  ASSERT_EQ(::mkfifo(path_.c_str(), 0600), 0);
  const int reader = ::open(path_.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  ASSERT_EQ(::fcntl(reader, F_SETFL, 0), 0);
  log_start(LogLevel::info, LogFormat::text, path_);
  constexpr int calls = 20'000;  // more than the pipe and the queue hold, and nobody reads yet
  for (int i = 0; i < calls; ++i) log(LogLevel::info, "line", {{"i", std::to_string(i)}});

  std::string text;
  {
    const std::jthread disk([&] {
      std::array<char, 4096> piece{};
      while (text.find("dropped lines=") == std::string::npos) {  // the last line; the pipe stays open behind it
        const ssize_t got = ::read(reader, piece.data(), piece.size());
        if (got <= 0) break;
        text.append(piece.data(), static_cast<std::size_t>(got));
      }
    });
    log_stop();
  }
  ::close(reader);
  EXPECT_THAT(text, HasSubstr("i=" + std::to_string(calls - 1) + "\n")) << "the newest line is kept";
  EXPECT_THAT(text, HasSubstr("warning the log's queue was full: its oldest lines were dropped lines="));
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
