#include "load/options.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace headrace::load {
namespace {

using namespace std::chrono_literals;

Command parse(std::vector<const char*> arguments) {
  arguments.insert(arguments.begin(), "headrace-load");
  return parse_options(static_cast<int>(arguments.size()), arguments.data());
}

RunOptions accepted(std::vector<const char*> arguments) {
  auto parsed = parse(std::move(arguments));
  EXPECT_TRUE(std::holds_alternative<RunOptions>(parsed));
  return std::holds_alternative<RunOptions>(parsed) ? std::get<RunOptions>(parsed) : RunOptions{};
}

std::string refusal(std::vector<const char*> arguments) {
  testing::internal::CaptureStderr();
  const auto parsed = parse(std::move(arguments));
  std::string text = testing::internal::GetCapturedStderr();
  const auto* status = std::get_if<ExitStatus>(&parsed);
  EXPECT_TRUE(status != nullptr && status->code == 2);
  return text;
}

TEST(Options, DefaultsAreAClosedLoopOfOne) {
  const RunOptions options = accepted({"run", "--model", "digits"});
  EXPECT_EQ(options.target.authority(), "127.0.0.1:8000");
  EXPECT_EQ(options.arrivals.rate, 0);
  EXPECT_EQ(options.connections, 1U);
  EXPECT_EQ(options.duration, Duration(10s));
  EXPECT_FALSE(options.requests);
  EXPECT_EQ(options.format, Format::binary);
}

TEST(Options, AnOpenLoopTakesItsRateAndConnections) {
  const RunOptions options =
      accepted({"run", "--model", "m", "--rate", "2500.5", "--connections", "8", "--threads", "16"});
  EXPECT_EQ(options.arrivals.rate, 2500.5);
  EXPECT_EQ(options.connections, 8U);
  EXPECT_EQ(options.threads, 8U);  // a thread without a connection would do nothing
}

TEST(Options, AnOpenLoopTakesItsShape) {
  const RunOptions ramp = accepted({"run", "--model", "m", "--rate", "10..50", "--arrivals", "poisson", "--burst", "5",
                                    "--duration", "2s", "--seed", "3"});
  ASSERT_EQ(ramp.arrivals.segments.size(), 1U);
  EXPECT_TRUE(ramp.arrivals.poisson);
  EXPECT_EQ(ramp.arrivals.burst, 5U);
  EXPECT_EQ(ramp.arrivals.seed, 3U);
  EXPECT_EQ(ramp.arrivals_text, "10..50 requests/s, Poisson, in bursts of 5");
  EXPECT_NE(refusal({"run", "--model", "m", "--rate", "1..2", "--requests", "9"}).find("--duration"),
            std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--burst", "2"}).find("--rate"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--replay", "/nowhere/x"}).find("/nowhere/x"), std::string::npos);
}

TEST(Options, EverythingElse) {
  const RunOptions options = accepted({"run",
                                       "--url",
                                       "http://h:1/p",
                                       "--model",
                                       "m",
                                       "--version",
                                       "2",
                                       "--concurrency",
                                       "64",
                                       "--requests",
                                       "100",
                                       "--warmup",
                                       "250ms",
                                       "--rows",
                                       "1..64",
                                       "--format",
                                       "json",
                                       "--seed",
                                       "9",
                                       "--timeout",
                                       "2s",
                                       "--input",
                                       "a.npy",
                                       "--expect",
                                       "b.npy",
                                       "--tolerance",
                                       "1e-3",
                                       "--verify",
                                       "--allow-errors",
                                       "timeout,http_429,http_5xx",
                                       "--json",
                                       "-",
                                       "--quiet",
                                       "--shape",
                                       "x:3,4"});
  EXPECT_EQ(options.version, "2");
  EXPECT_EQ(options.connections, 64U);
  EXPECT_EQ(options.requests, 100U);
  EXPECT_FALSE(options.duration);
  EXPECT_EQ(options.warmup, 250ms);
  EXPECT_EQ(options.rows.max, 64U);
  EXPECT_EQ(options.format, Format::json);
  EXPECT_EQ(options.timeout, 2s);
  EXPECT_EQ(options.expect_file, "b.npy");
  EXPECT_TRUE(options.verify && options.quiet);
  EXPECT_EQ(options.allowed_errors, (std::set<std::string>{"timeout", "http_429", "http_5xx"}));
  EXPECT_EQ(options.shapes.at("x"), (std::vector<std::int64_t>{3, 4}));
}

TEST(Options, RefusalsNameTheOption) {
  EXPECT_NE(refusal({"run"}).find("--model"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--rate", "0"}).find("--rate"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--rate", "9", "--concurrency", "2"}).find("--rate"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--connections", "2"}).find("--rate"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--duration", "soon"}).find("--duration"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--duration", "1s", "--requests", "1"}).find("--duration"),
            std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--rows", "4..1"}).find("--rows"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--url", "ftp://x"}).find("--url"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--format", "xml"}).find("--format"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--allow-errors", "bad_luck"}).find("bad_luck"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--expect", "x.npy"}).find("--input"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--slo", "p98=1s"}).find("--slo"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--json", "-", "--csv", "-"}).find("--csv"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--repeat", "0"}).find("--repeat"), std::string::npos);
  EXPECT_NE(refusal({"run", "--model", "m", "--shape", "x"}).find("--shape"), std::string::npos);
  EXPECT_NE(refusal({"run", "--raw-body", "8", "--verify"}).find("--raw-body"), std::string::npos);
}

TEST(Options, ASweepHasItsLevels) {
  const auto closed = parse({"sweep", "--model", "m", "--concurrency", "1..20", "--threads", "4"});
  const auto& by_connections = std::get<SweepOptions>(closed);
  EXPECT_EQ(by_connections.levels, (std::vector<double>{1, 2, 4, 8, 16, 20}));
  EXPECT_FALSE(by_connections.by_rate);
  EXPECT_EQ(by_connections.run.threads, 4U);
  EXPECT_EQ(by_connections.run.duration, Duration(5s));
  const auto open = parse({"sweep", "--model", "m", "--rate", "100..1000", "--arrivals", "poisson"});
  const auto& by_rate = std::get<SweepOptions>(open);
  EXPECT_TRUE(by_rate.by_rate && by_rate.run.arrivals.poisson);
  EXPECT_EQ(by_rate.levels.size(), 10U);
  EXPECT_EQ(by_rate.levels[1], 200);
  EXPECT_EQ(by_rate.run.connections, 64U);
  EXPECT_NE(refusal({"sweep", "--model", "m", "--concurrency", "4,2"}).find("--concurrency"), std::string::npos);
  EXPECT_NE(refusal({"sweep", "--model", "m", "--rate", "0..5"}).find("--rate"), std::string::npos);
  EXPECT_NE(refusal({"sweep", "--model", "m", "--connections", "5"}).find("--connections"), std::string::npos);
}

TEST(Options, AComparisonHasTwoServers) {
  const auto parsed = parse({"compare", "--model", "m", "--url", "http://a:1", "--url", "http://b:2", "--pairs", "3"});
  const auto& options = std::get<CompareOptions>(parsed);
  EXPECT_EQ(options.a.authority(), "a:1");
  EXPECT_EQ(options.b.authority(), "b:2");
  EXPECT_EQ(options.pairs, 3U);
  EXPECT_NE(refusal({"compare", "--model", "m", "--url", "http://a:1"}).find("--url A --url B"), std::string::npos);
  EXPECT_NE(refusal({"compare", "--model", "m"}).find("--url"), std::string::npos);
}

TEST(Options, UnknownSubcommandsAreRefused) {
  EXPECT_FALSE(refusal({"stampede"}).empty());
  EXPECT_FALSE(refusal({}).empty());
}

}  // namespace
}  // namespace headrace::load
