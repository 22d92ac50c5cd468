#include "service/app/config.hpp"

#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

namespace headrace::app {
namespace {

using std::chrono::milliseconds;
using testing::AllOf;
using testing::HasSubstr;

/// Sets a variable, and removes it at the end of its scope.
class Variable {
 public:
  Variable(std::string name, const std::string& value) : name_(std::move(name)) {
    setenv(name_.c_str(), value.c_str(), 1);
  }
  ~Variable() { unsetenv(name_.c_str()); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  std::string name_;
};

/// A configuration file that lives as long as this.
class File {
 public:
  explicit File(const std::string& text) {
    path_ = std::filesystem::temp_directory_path() /
            (std::string("headrace-config-") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".toml");
    std::ofstream(path_) << text;
  }
  ~File() { std::filesystem::remove(path_); }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

struct Parsed {
  bool go_on = false;
  CommandLine line;
  int status = -1;
  std::string out, err;
};

Parsed parse(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), "headrace");
  std::vector<const char*> argv;
  for (const auto& argument : arguments) argv.push_back(argument.c_str());
  Parsed parsed;
  CommandLineExit exit{-1};
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  parsed.go_on = parse_command_line(static_cast<int>(argv.size()), argv.data(), parsed.line, exit);
  parsed.out = testing::internal::GetCapturedStdout();
  parsed.err = testing::internal::GetCapturedStderr();
  parsed.status = exit.status;
  return parsed;
}

ServeConfig served(std::vector<std::string> options) {
  options.insert(options.begin(), "serve");
  const auto parsed = parse(std::move(options));
  EXPECT_TRUE(parsed.go_on) << parsed.err;
  EXPECT_EQ(parsed.line.command, Command::serve);
  return parsed.line.serve;
}

/// What standard error says when `options` are refused.
std::string refusal(std::vector<std::string> options) {
  options.insert(options.begin(), "serve");
  const auto parsed = parse(std::move(options));
  EXPECT_FALSE(parsed.go_on);
  EXPECT_EQ(parsed.status, 2);
  return parsed.err;
}

TEST(Config, EveryFlagArrives) {
  const auto config =
      served({"--models",          "m",        "--http",          "0.0.0.0:1", "--admin",          "0.0.0.0:2",
              "--device",          "cuda:0,1", "--io-threads",    "3",         "--slots",          "5",
              "--slot-size",       "8M",       "--memory-budget", "2G",        "--max-body",       "4096",
              "--max-connections", "77",       "--drain-delay",   "250ms",     "--drain-timeout",  "2m",
              "--require-model",   "a",        "--require-model", "b",         "--log-level",      "debug",
              "--log-format",      "json",     "--flight-limit",  "5s",        "--on-device-lost", "stay"});
  EXPECT_EQ(config.models, "m");
  EXPECT_EQ(config.http, "0.0.0.0:1");
  EXPECT_EQ(config.admin, "0.0.0.0:2");
  EXPECT_EQ(config.device, "cuda:0,1");
  EXPECT_EQ(config.io_threads, 3u);
  EXPECT_EQ(config.slots, 5u);
  EXPECT_EQ(config.slot_bytes, 8u << 20);
  EXPECT_EQ(config.memory_budget, 2u << 30);
  EXPECT_EQ(config.max_body, 4096u);
  EXPECT_EQ(config.max_connections, 77u);
  EXPECT_EQ(config.drain_delay, milliseconds(250));
  EXPECT_EQ(config.drain_timeout, milliseconds(120'000));
  EXPECT_THAT(config.require_models, testing::ElementsAre("a", "b"));
  EXPECT_EQ(config.log_level, telemetry::LogLevel::debug);
  EXPECT_EQ(config.log_format, telemetry::LogFormat::json);
  EXPECT_EQ(config.flight_limit, milliseconds(5'000));
  EXPECT_EQ(config.on_device_lost, OnDeviceLost::stay);
}

TEST(Config, EveryFlagHasItsVariable) {
  const Variable all[] = {
      {"HEADRACE_MODELS", "m"},          {"HEADRACE_HTTP", "h:1"},           {"HEADRACE_ADMIN", "a:1"},
      {"HEADRACE_DEVICE", "cpu"},        {"HEADRACE_IO_THREADS", "3"},       {"HEADRACE_SLOTS", "5"},
      {"HEADRACE_SLOT_SIZE", "1M"},      {"HEADRACE_MEMORY_BUDGET", "9"},    {"HEADRACE_MAX_BODY", "8"},
      {"HEADRACE_MAX_CONNECTIONS", "7"}, {"HEADRACE_DRAIN_DELAY", "1"},      {"HEADRACE_DRAIN_TIMEOUT", "2"},
      {"HEADRACE_REQUIRE_MODEL", "all"}, {"HEADRACE_LOG_LEVEL", "error"},    {"HEADRACE_LOG_FORMAT", "json"},
      {"HEADRACE_FLIGHT_LIMIT", "3"},    {"HEADRACE_ON_DEVICE_LOST", "stay"}};
  const auto config = served({});
  EXPECT_EQ(config.models, "m");
  EXPECT_EQ(config.http, "h:1");
  EXPECT_EQ(config.admin, "a:1");
  EXPECT_EQ(config.device, "cpu");
  EXPECT_EQ(config.io_threads, 3u);
  EXPECT_EQ(config.slots, 5u);
  EXPECT_EQ(config.slot_bytes, 1u << 20);
  EXPECT_EQ(config.memory_budget, 9u);
  EXPECT_EQ(config.max_body, 8u);
  EXPECT_EQ(config.max_connections, 7u);
  EXPECT_EQ(config.drain_delay, milliseconds(1'000));
  EXPECT_EQ(config.drain_timeout, milliseconds(2'000));
  EXPECT_THAT(config.require_models, testing::ElementsAre("all"));
  EXPECT_EQ(config.log_level, telemetry::LogLevel::error);
  EXPECT_EQ(config.log_format, telemetry::LogFormat::json);
  EXPECT_EQ(config.flight_limit, milliseconds(3'000));
  EXPECT_EQ(config.on_device_lost, OnDeviceLost::stay);
}

TEST(Config, DevicesIsAnotherNameOfDevice) {
  for (const auto& options : {std::vector<std::string>{"--device", "cuda:0,1"},
                              {"--devices", "0,1"},
                              {"--device", "0,1"},
                              {"--devices", "cuda:0,1"},
                              {"--devices", "0", "--devices", "1"}}) {
    EXPECT_EQ(served(options).device, "cuda:0,1") << options.front();
  }
  EXPECT_EQ(served({}).device, "auto");
  EXPECT_EQ(served({"--devices", "cpu"}).device, "cpu");
  {
    const Variable devices("HEADRACE_DEVICES", "1");
    EXPECT_EQ(served({}).device, "cuda:1");
    EXPECT_EQ(served({"--device", "cpu"}).device, "cpu");
    const Variable device("HEADRACE_DEVICE", "cpu");
    EXPECT_THAT(refusal({}), HasSubstr("HEADRACE_DEVICE, HEADRACE_DEVICES: expected one of them, both are set"));
  }
  const File file("[serve]\ndevices = [2, 3]\n");
  EXPECT_EQ(served({"--config", file.path()}).device, "cuda:2,3");
  const Variable device("HEADRACE_DEVICE", "cpu");
  EXPECT_EQ(served({"--config", file.path()}).device, "cpu");
}

TEST(Config, WhatALostDeviceMeans) {
  EXPECT_EQ(served({}).on_device_lost, OnDeviceLost::exit);
  EXPECT_EQ(served({"--on-device-lost", "exit"}).on_device_lost, OnDeviceLost::exit);
  EXPECT_EQ(served({}).flight_limit, milliseconds(30'000));
  EXPECT_THAT(refusal({"--on-device-lost", "wait"}), AllOf(HasSubstr("--on-device-lost"), HasSubstr("wait")));
  EXPECT_THAT(refusal({"--flight-limit", "0s"}),
              HasSubstr("--flight-limit: expected a duration above 0 such as 30s, got '0s'"));
  EXPECT_THAT(refusal({"--flight-limit", "soon"}), HasSubstr("--flight-limit: expected a duration"));
}

TEST(Config, FlagBeforeVariableBeforeFile) {
  const File file("[serve]\nslots = 10\nio-threads = 10\nmax-body = \"10K\"\ndrain-delay = \"10s\"\n");
  const Variable slots("HEADRACE_SLOTS", "20");
  const Variable threads("HEADRACE_IO_THREADS", "20");
  const auto config = served({"--config", file.path(), "--slots", "30"});
  EXPECT_EQ(config.slots, 30u);
  EXPECT_EQ(config.io_threads, 20u);
  EXPECT_EQ(config.max_body, 10'240u);
  EXPECT_EQ(config.drain_delay, milliseconds(10'000));
}

TEST(Config, TheFileMayBeNamedByAVariable) {
  const File file("[serve]\nslots = 10\n");
  const Variable name("HEADRACE_CONFIG", file.path());
  EXPECT_EQ(served({}).slots, 10u);
  const File other("[serve]\nslots = 11\n");
  EXPECT_EQ(served({"--config", other.path()}).slots, 11u);
}

TEST(Config, AFileThatIsNotThereOrSaysSomethingUnknownIsRefused) {
  EXPECT_THAT(refusal({"--config", "no-such-file.toml"}), HasSubstr("no-such-file.toml"));
  {
    const Variable name("HEADRACE_CONFIG", "no-such-file.toml");
    EXPECT_THAT(refusal({}), HasSubstr("no-such-file.toml"));
  }
  const File key("[serve]\nslot = 10\n");
  EXPECT_THAT(refusal({"--config", key.path()}), HasSubstr("slot"));
  const File table("[server]\nslots = 10\n");
  EXPECT_THAT(refusal({"--config", table.path()}), HasSubstr("server"));
  const File value("[serve]\ndrain-delay = \"soon\"\n");
  EXPECT_THAT(refusal({"--config", value.path()}), HasSubstr("--drain-delay"));
}

TEST(Config, Durations) {
  const std::pair<const char*, int> good[] = {{"0", 0},       {"0ms", 0},      {"1", 1'000},    {"1.5", 1'500},
                                              {"250ms", 250}, {"10s", 10'000}, {"2m", 120'000}, {"0.5m", 30'000}};
  for (const auto& [text, ms] : good)
    EXPECT_EQ(served({"--drain-timeout", text}).drain_timeout, milliseconds(ms)) << text;
  for (const char* const text : {"soon", "s", "10h", "10 s", "-1s", "nan", "inf", "1e9s", "1s1s"}) {
    EXPECT_THAT(
        refusal({std::string("--drain-timeout=") + text}),
        HasSubstr(std::string("--drain-timeout: expected a duration such as 250ms, 10s or 2m, got '") + text + "'"));
  }
}

TEST(Config, Sizes) {
  const std::pair<const char*, std::uint64_t> good[] = {
      {"0", 0},          {"1", 1},          {"64K", 65'536},        {"64KB", 65'536},
      {"64KiB", 65'536}, {"1M", 1'048'576}, {"3gib", 3'221'225'472}};
  for (const auto& [text, bytes] : good) EXPECT_EQ(served({"--max-body", text}).max_body, bytes) << text;
  for (const char* const text :
       {"big", "-1", "1.5M", "10X", "-1K", " 1", "1 K", "99999999999G", "18446744073709551616"}) {
    EXPECT_THAT(refusal({std::string("--max-body=") + text}),
                HasSubstr(std::string("--max-body: expected a size such as 4096, 64K, 16M or 2G, got '") + text + "'"));
  }
}

TEST(Config, NumbersHaveTheirRange) {
  for (const char* const option : {"--slots=0", "--slots=65", "--slots=x", "--slots=-1", "--io-threads=257",
                                   "--max-connections=0", "--log-level=loud", "--log-format=xml"}) {
    const std::string text = option;
    EXPECT_THAT(refusal({text}), HasSubstr(text.substr(0, text.find('=')))) << text;
  }
}

TEST(Config, HelpAndVersionEndWithSuccess) {
  for (const auto& arguments :
       {std::vector<std::string>{"--help"}, {"serve", "--help"}, {"models", "--help"}, {"--version"}}) {
    const auto parsed = parse(arguments);
    EXPECT_FALSE(parsed.go_on);
    EXPECT_EQ(parsed.status, 0);
    EXPECT_THAT(parsed.out, HasSubstr("headrace"));
    EXPECT_EQ(parsed.err, "");
  }
  EXPECT_THAT(parse({"serve", "--help"}).out, HasSubstr("HEADRACE_MEMORY_BUDGET"));
}

TEST(Config, AWrongCommandLineEndsWithTwo) {
  for (const auto& arguments : {std::vector<std::string>{},
                                {"swim"},
                                {"serve", "--slot", "4"},
                                {"serve", "extra"},
                                {"models", "--chek", "x"},
                                {"serve", "--slots"}}) {
    const auto parsed = parse(arguments);
    EXPECT_FALSE(parsed.go_on);
    EXPECT_EQ(parsed.status, 2) << (arguments.empty() ? "" : arguments.back());
    EXPECT_NE(parsed.err, "");
  }
  EXPECT_THAT(parse({"serve", "--slot", "4"}).err, HasSubstr("--slot"));
}

TEST(Config, TheOtherSubcommand) {
  const auto list = parse({"models"});
  EXPECT_TRUE(list.go_on) << list.err;
  EXPECT_EQ(list.line.command, Command::models);
  EXPECT_EQ(list.line.models.check, "");
  EXPECT_EQ(parse({"models", "--check", "folder"}).line.models.check, "folder");
}

}  // namespace
}  // namespace headrace::app
