#include "service/pipeline/spawn.hpp"

#include <gtest/gtest.h>

#include <boost/asio/post.hpp>
#include <boost/asio/this_coro.hpp>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <stdexcept>
#include <string>

namespace headrace::pipeline {
namespace {

Awaitable<> succeed(bool& ran) {
  const auto executor = co_await asio::this_coro::executor;
  co_await asio::post(executor, use_result);
  ran = true;
}
Awaitable<> fail(int how) {
  const auto executor = co_await asio::this_coro::executor;
  co_await asio::post(executor, use_result);
  if (how == 0) throw std::runtime_error("pump broke");
  if (how == 1) throw 42;
  throw boost::system::system_error(asio::error::operation_aborted);
}

std::string run_and_read_log(const std::function<void(asio::io_context&)>& start) {
  const auto path =
      std::filesystem::temp_directory_path() /
      (std::string("headrace-spawn-test-") + testing::UnitTest::GetInstance()->current_test_info()->name() + ".log");
  std::filesystem::remove(path);
  telemetry::log_start(telemetry::LogLevel::debug, telemetry::LogFormat::text, path.string());
  asio::io_context context(1);
  start(context);
  context.run();
  telemetry::log_stop();
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  std::filesystem::remove(path);
  return text.str();
}

TEST(Spawn, RunsToTheEndAndSaysNothing) {
  bool ran = false;
  const auto log =
      run_and_read_log([&ran](asio::io_context& context) { spawn(context.get_executor(), succeed(ran), "good"); });
  EXPECT_TRUE(ran);
  EXPECT_EQ(log, "");
}

TEST(Spawn, AnEscapedExceptionIsLoggedByNameAndEndsNothingElse) {
  bool ran = false;
  const auto log = run_and_read_log([&ran](asio::io_context& context) {
    spawn(context.get_executor(), fail(0), "pump");
    spawn(context.get_executor(), fail(1), "odd");
    spawn(context.get_executor(), succeed(ran), "good");
  });
  EXPECT_TRUE(ran);
  EXPECT_NE(log.find("pump broke"), std::string::npos) << log;
  EXPECT_NE(log.find("coroutine=pump"), std::string::npos) << log;
  EXPECT_NE(log.find("coroutine=odd"), std::string::npos) << log;
  EXPECT_NE(log.find("unknown type"), std::string::npos) << log;
}

TEST(Spawn, ACancelledCoroutineIsForDebuggingOnly) {
  const auto log =
      run_and_read_log([](asio::io_context& context) { spawn(context.get_executor(), fail(2), "session"); });
  EXPECT_NE(log.find("coroutine cancelled"), std::string::npos) << log;
  EXPECT_EQ(log.find("error"), std::string::npos) << log;
}

}  // namespace
}  // namespace headrace::pipeline
