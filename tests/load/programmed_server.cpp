// The test server as a program of its own, for load/bench/against_programmed_latency: says its port on standard output,
// and answers every line on standard input with what it recorded so far, in microseconds. Ends when that is closed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "load/clock.hpp"
#include "tests/load/test_server.hpp"

namespace {

namespace load = headrace::load;
using namespace std::chrono_literals;
using load::testing::Act;
using load::testing::TestServer;

Act after(load::Duration delay) { return {.delay = std::max(delay, load::Duration::zero())}; }

/// From second 5 to second 6 after the first request nothing is answered; else each takes 2 ms.
class Stall {
 public:
  Act operator()(std::uint64_t /*request*/) {
    const load::TimePoint now = load::Clock::now();
    const std::lock_guard lock(mutex_);
    if (!began_) began_ = now;
    const load::Duration into = now - *began_;
    return after(into >= 5s && into < 6s ? 6s - into : load::Duration(2ms));
  }

 private:
  std::mutex mutex_;
  std::optional<load::TimePoint> began_;
};

/// Four requests at a time, 10 ms each; the others wait in line.
class Slots {
 public:
  Act operator()(std::uint64_t /*request*/) {
    const load::TimePoint now = load::Clock::now();
    const std::lock_guard lock(mutex_);
    load::TimePoint& slot = *std::min_element(free_from_.begin(), free_from_.end());
    slot = std::max(slot, now) + 10ms;
    return after(slot - now);
  }

 private:
  std::mutex mutex_;
  std::array<load::TimePoint, 4> free_from_{};
};

const std::map<std::string, TestServer::Program>& programs() {
  static const std::map<std::string, TestServer::Program> known{
      {"constant", [](std::uint64_t) { return after(20ms); }},
      {"short", [](std::uint64_t) { return after(10ms); }},
      {"bimodal", [](std::uint64_t i) { return after(i % 10 == 9 ? 50ms : 10ms); }},
      {"stall", [stall = std::make_shared<Stall>()](std::uint64_t i) { return (*stall)(i); }},
      {"slots", [slots = std::make_shared<Slots>()](std::uint64_t i) { return (*slots)(i); }}};
  return known;
}

}  // namespace

int main(int argc, char** argv) {
  const auto program = argc == 2 ? programs().find(argv[1]) : programs().end();
  if (program == programs().end()) {
    fmt::print(stderr, "usage: programmed_server constant|short|bimodal|stall|slots\n");
    return 2;
  }
  TestServer server(program->second);
  fmt::print("{}\n", server.port());
  std::fflush(stdout);
  for (std::string line; std::getline(std::cin, line);) {
    const load::Histogram recorded = server.recorded();
    const auto us = [&recorded](double quantile) { return static_cast<double>(recorded.quantile_ns(quantile)) / 1e3; };
    fmt::print("{{\"p50\":{:.3f},\"p90\":{:.3f},\"p99\":{:.3f},\"p99_9\":{:.3f},\"max\":{:.3f}}}\n", us(0.5), us(0.9),
               us(0.99), us(0.999), us(1));
    std::fflush(stdout);
  }
  return 0;
}
