// The whole generator against a server whose behaviour is programmed: every request is accounted for, every kind of
// error is counted as what it is.
#include "load/run.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>

#include "load/repeat.hpp"
#include "tests/load/test_server.hpp"

namespace headrace::load {
namespace {

using namespace std::chrono_literals;
using testing::Act;
using testing::TestServer;

RunOptions options_for(std::uint16_t port) {
  RunOptions options;
  options.target = {"127.0.0.1", port, ""};
  options.model = "double";
  options.connections = 4;
  options.threads = 2;
  options.requests = 200;
  options.rows = {1, 8};
  options.timeout = 20s;
  return options;
}

Report run_to_the_end(const RunOptions& options) {
  const std::atomic<bool> stop{false};
  const auto report = run(options, stop);
  EXPECT_TRUE(report) << report.error();
  return report ? *report : Report{};
}

std::map<std::string, std::uint64_t> errors_of(const Report& report) {
  std::map<std::string, std::uint64_t> errors;
  for (const auto& entry : report.totals.errors.entries()) {
    if (entry.count != 0) errors[entry.name] = entry.count;
  }
  return errors;
}

void expect_all_well(const Report& report, std::uint64_t requests) {
  EXPECT_EQ(report.totals.requests, requests);
  EXPECT_EQ(report.totals.succeeded, requests);
  EXPECT_EQ(report.totals.latency.count(), requests);
  EXPECT_EQ(report.totals.service.count(), requests);
  EXPECT_GE(report.totals.rows, requests);
  EXPECT_TRUE(errors_of(report).empty()) << report_text(report);
  EXPECT_GT(report.seconds, 0);
  EXPECT_FALSE(report.failed({}));
}

TEST(Run, ClosedLoopAccountsForEveryRequest) {
  TestServer server;
  for (const Format format : {Format::binary, Format::json}) {
    for (const bool verify : {false, true}) {
      RunOptions options = options_for(server.port());
      options.format = format;
      options.verify = verify;
      const std::uint64_t before = server.requests();
      const Report report = run_to_the_end(options);
      expect_all_well(report, 200);
      EXPECT_EQ(server.requests() - before, 200U);
      EXPECT_EQ(report.totals.lateness.count(), 0U);
    }
  }
}

TEST(Run, OpenLoopAccountsForEveryRequest) {
  TestServer server;
  RunOptions options = options_for(server.port());
  options.arrivals.rate = 4000;
  options.verify = true;
  options.requests = 600;
  const Report report = run_to_the_end(options);
  expect_all_well(report, 600);
  EXPECT_EQ(report.totals.lateness.count(), 600U);
  EXPECT_GE(report.totals.compared, 300U);  // 64 to 256 bodies, each compared from its second answer on
  EXPECT_GE(report.seconds, 600.0 / 4000);
  EXPECT_EQ(server.connections(), 1 + 2 + 4U);  // looking for the server, two documents, and the run's own
}

TEST(Run, MetadataFromAFileSparesTheServer) {
  TestServer server;
  const auto file = std::filesystem::path(::testing::TempDir()) / "double.json";
  std::ofstream(file) << R"({"name":"double","inputs":[{"name":"x","datatype":"FP32","shape":[-1,4]}],)"
                      << R"("outputs":[{"name":"y","datatype":"FP32","shape":[-1,4]}]})";
  RunOptions options = options_for(server.port());
  options.metadata_file = file;
  expect_all_well(run_to_the_end(options), 200);
  EXPECT_EQ(server.connections(), 1 + 4U);  // looking for the server, and the run's own
  options.metadata_file = "/nowhere/double.json";
  const auto refused = run(options, std::atomic<bool>{false});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error(), "--metadata /nowhere/double.json: cannot be read");
}

TEST(Run, AnOpenLoopOfSomeTimeSendsWhatItPlanned) {
  TestServer server;
  RunOptions options = options_for(server.port());
  options.arrivals.rate = 1000;
  options.requests.reset();
  options.duration = 200ms;
  options.warmup = 100ms;
  const Report report = run_to_the_end(options);
  expect_all_well(report, 200);
  EXPECT_EQ(server.requests(), 300U);
  EXPECT_EQ(report.totals.all_requests, 300U);
}

TEST(Run, LatencyCountsFromThePlannedTimeWhenTheServerStalls) {
  TestServer server([](std::uint64_t) { return Act{.delay = 20ms}; });
  RunOptions options = options_for(server.port());
  options.threads = 1;
  options.connections = 1;
  options.arrivals.rate = 1000;
  options.requests = 20;
  const Report report = run_to_the_end(options);
  expect_all_well(report, 20);
  // Request k was planned at k ms and could leave at 20 k ms at the earliest: the last one waits 361 ms more than it
  // takes.
  EXPECT_GE(report.totals.latency.max_ns(), report.totals.service.quantile_ns(0) + 300'000'000);
  EXPECT_EQ(report.totals.waited, 19U);
}

TEST(Run, ChunkedAnswersAndReconnectsAreNoErrors) {
  TestServer server([](std::uint64_t i) { return Act{i % 2 == 0 ? Act::Kind::chunked : Act::Kind::then_close}; });
  RunOptions options = options_for(server.port());
  options.verify = true;
  const Report report = run_to_the_end(options);
  expect_all_well(report, 200);
  EXPECT_GE(report.totals.reconnects, 90U);
}

TEST(Run, EachKindOfErrorIsCountedAsWhatItIs) {
  const std::map<std::string, Act> acts{
      {"closed", {Act::Kind::close}},         {"http_404", {Act::Kind::status, 404}},
      {"http_429", {Act::Kind::status, 429}}, {"http_503", {Act::Kind::status, 503}},
      {"protocol", {Act::Kind::garbage}},     {"verify_mismatch", {Act::Kind::wrong_values}},
      {"wrong_id", {Act::Kind::wrong_id}},    {"timeout", {Act::Kind::never}},
  };
  for (const auto& [name, act] : acts) {
    // Every fourth request goes wrong, but only once each body has had a right answer to be compared with.
    std::atomic<std::uint64_t> wrong{0};
    TestServer server([&wrong, chosen = act](std::uint64_t i) {
      if (i < 400 || i % 4 != 0) return Act{};
      ++wrong;
      return chosen;
    });
    RunOptions options = options_for(server.port());
    options.requests = 440;
    options.verify = true;
    options.rows = {8, 8};
    if (name == "timeout") options.timeout = 300ms;
    const Report report = run_to_the_end(options);
    EXPECT_EQ(wrong, 10U);
    EXPECT_EQ(errors_of(report), (std::map<std::string, std::uint64_t>{{name, 10}})) << report_text(report);
    EXPECT_EQ(report.totals.requests, 440U);
    EXPECT_EQ(report.totals.succeeded, 430U);
    EXPECT_EQ(report.totals.latency.count(), name == "timeout" ? 440U : 430U);
    EXPECT_TRUE(report.failed({}));
    EXPECT_FALSE(report.failed({name}));
  }
}

TEST(Run, HalfAnswersAndOtherDocumentsAreErrors) {
  for (const auto& [kind, name] :
       {std::pair(Act::Kind::half, "closed"), std::pair(Act::Kind::no_document, "protocol")}) {
    TestServer server([chosen = kind](std::uint64_t) { return Act{chosen}; });
    RunOptions options = options_for(server.port());
    options.verify = true;
    options.requests = 20;
    const Report report = run_to_the_end(options);
    EXPECT_EQ(errors_of(report), (std::map<std::string, std::uint64_t>{{name, 20}}));
    EXPECT_EQ(report.totals.succeeded, 0U);
  }
}

TEST(Run, AServerThatGoesAwayIsAConnectError) {
  TestServer* self = nullptr;
  TestServer server([&self](std::uint64_t i) {
    if (i < 50) return Act{};
    self->stop_listening();
    return Act{Act::Kind::close};
  });
  self = &server;
  const Report report = run_to_the_end(options_for(server.port()));
  const auto errors = errors_of(report);
  ASSERT_TRUE(errors.contains("closed") && errors.contains("connect")) << report_text(report);
  EXPECT_LE(errors.at("closed"), 4U);  // one a connection
  EXPECT_EQ(report.totals.succeeded, 50U);
  EXPECT_EQ(errors.at("closed") + errors.at("connect"), 150U);
  EXPECT_EQ(report.totals.requests, 200U);
}

TEST(Run, WithoutAServerItDoesNotStart) {
  auto server = std::make_unique<TestServer>();
  const RunOptions options = options_for(server->port());
  server.reset();
  const std::atomic<bool> stop{false};
  const auto report = run(options, stop);
  ASSERT_FALSE(report);
  EXPECT_NE(report.error().find("cannot connect"), std::string::npos);
}

TEST(Run, KnownRowsAreHeldAgainstTheAnswers) {
  const auto folder = std::filesystem::temp_directory_path() / ("headrace_load_" + std::to_string(::getpid()));
  std::filesystem::create_directories(folder);
  const auto write = [&folder](const char* name, float factor) {
    std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (30, 4), }";
    while ((header.size() + 11) % 64 != 0) header += ' ';
    header += '\n';
    std::ofstream file(folder / name, std::ios::binary);
    file << "\x93NUMPY" << '\1' << '\0' << static_cast<char>(header.size()) << '\0' << header;
    for (int i = 0; i < 120; ++i) {
      const float value = factor * static_cast<float>(i);
      file.write(reinterpret_cast<const char*>(&value), sizeof value);
    }
    return (folder / name).string();
  };
  TestServer server;
  RunOptions options = options_for(server.port());
  options.input_file = write("in.npy", 1);
  options.expect_file = write("right.npy", 2);
  const Report right = run_to_the_end(options);
  expect_all_well(right, 200);
  EXPECT_EQ(right.totals.compared, 200U);
  options.expect_file = write("wrong.npy", 3);
  const Report wrong = run_to_the_end(options);
  EXPECT_EQ(errors_of(wrong), (std::map<std::string, std::uint64_t>{{"verify_mismatch", 200}}));
  std::filesystem::remove_all(folder);
}

TEST(Run, RefusesToStartWithAReason) {
  TestServer server;
  const auto refusal = [](const RunOptions& options) {
    const std::atomic<bool> stop{false};
    const auto report = run(options, stop);
    return report ? std::string("started") : report.error();
  };
  RunOptions options = options_for(server.port());
  options.model = "nobody";
  EXPECT_NE(refusal(options).find("404"), std::string::npos);
  options = options_for(server.port());
  options.rows = {1, 65};
  EXPECT_NE(refusal(options).find("at most 64 rows"), std::string::npos);
  options = options_for(server.port());
  options.input_file = "/nowhere/in.npy";
  EXPECT_NE(refusal(options).find("/nowhere/in.npy"), std::string::npos);
  options = options_for(server.port());
  options.shapes["z"] = {1};
  EXPECT_NE(refusal(options).find("'z'"), std::string::npos);
  EXPECT_EQ(server.requests(), 0U);
}

TEST(Run, StopEndsTheRunAndReportsWhatCame) {
  std::atomic<bool> stop{false};
  TestServer server([&stop](std::uint64_t i) {
    if (i == 50) stop = true;
    return Act{};
  });
  for (const double rate : {0.0, 500.0}) {
    stop = false;
    RunOptions options = options_for(server.port());
    options.requests.reset();
    options.duration = std::chrono::hours(1);
    options.arrivals.rate = rate;
    if (rate > 0) stop = true;
    const auto report = run(options, stop);
    ASSERT_TRUE(report) << report.error();
    if (rate == 0) EXPECT_GE(report->totals.succeeded, 50U);
  }
}

TEST(Run, TheSeriesHoldsEveryRequestOfEveryRun) {
  TestServer server([](std::uint64_t i) { return i % 10 == 9 ? Act{Act::Kind::status} : Act{}; });
  RunOptions options = options_for(server.port());
  options.repeat = 3;
  const auto report = run_repeatedly(options, std::atomic<bool>{false});
  ASSERT_TRUE(report) << report.error();
  EXPECT_EQ(report->repeats.size(), 3U);
  std::uint64_t succeeded = 0;
  std::uint64_t errors = 0;
  for (const auto& slice : report->totals.timeline.slices()) {
    succeeded += slice.succeeded;
    errors += slice.errors;
  }
  EXPECT_EQ(succeeded, 540U);
  EXPECT_EQ(errors, 60U);
}

TEST(Run, RawBodiesSkipTheModel) {
  TestServer server;
  RunOptions options = options_for(server.port());
  options.raw_body_bytes = 1024;
  const Report report = run_to_the_end(options);
  EXPECT_EQ(errors_of(report), (std::map<std::string, std::uint64_t>{{"http_404", 200}}));
}

}  // namespace
}  // namespace headrace::load
