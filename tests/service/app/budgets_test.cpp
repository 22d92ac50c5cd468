#include "service/app/budgets.hpp"

#include <gmock/gmock.h>

namespace headrace::app {
namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;
constexpr MachineFacts machine{.cores = 16, .memory_bytes = 64 * gib, .gpu = false};

std::string refusal(const ServeConfig& config, const MachineFacts& facts = machine) {
  const auto budgets = derive_budgets(config, facts);
  return budgets ? "accepted" : budgets.error();
}

struct Derived {
  MachineFacts machine;
  std::uint32_t io_threads, cpu_workers, codec_workers;
  std::uint64_t request_bytes_max;
};

TEST(Budgets, DefaultsFollowFromTheMachine) {
  const Derived table[] = {
      {{.cores = 1, .memory_bytes = 2 * gib, .gpu = false}, 1, 1, 1, 256 * mib},
      {{.cores = 2, .memory_bytes = 4 * gib, .gpu = false}, 1, 1, 1, 256 * mib},
      {{.cores = 4, .memory_bytes = 8 * gib, .gpu = false}, 1, 3, 1, 512 * mib},
      {{.cores = 8, .memory_bytes = 15 * gib, .gpu = false}, 2, 6, 2, 512 * mib},  // 960 MiB, down to a power of two
      {{.cores = 16, .memory_bytes = 64 * gib, .gpu = false}, 4, 12, 4, gib},
      {{.cores = 16, .memory_bytes = 64 * gib, .gpu = true}, 8, 8, 4, gib},
      {{.cores = 128, .memory_bytes = 2048 * gib, .gpu = true}, 8, 120, 4, gib},
  };
  for (const auto& row : table) {
    SCOPED_TRACE(testing::Message() << row.machine.cores << " cores, " << row.machine.memory_bytes / gib << " GiB, GPU "
                                    << row.machine.gpu);
    const auto budgets = derive_budgets({}, row.machine);
    ASSERT_TRUE(budgets) << budgets.error();
    EXPECT_EQ(budgets->io_threads, row.io_threads);
    EXPECT_EQ(budgets->cpu_workers, row.cpu_workers);
    EXPECT_EQ(budgets->codec_workers, row.codec_workers);
    EXPECT_EQ(budgets->request_bytes_max, row.request_bytes_max);
    EXPECT_EQ(budgets->request_bytes_one_max, 128 * mib);  // 64 MiB and what stands around it, as a size class
  }
}

TEST(Budgets, WhatWasConfiguredIsTaken) {
  ServeConfig config;
  config.io_threads = 20;
  config.memory_budget = 3 * gib + 5;
  config.max_body = 1 * mib;
  config.slots = 7;
  config.slot_bytes = 9 * mib;
  config.max_connections = 33;
  const auto budgets = derive_budgets(config, machine);
  ASSERT_TRUE(budgets) << budgets.error();
  EXPECT_EQ(budgets->io_threads, 20u);
  EXPECT_EQ(budgets->cpu_workers, 1u);
  EXPECT_EQ(budgets->request_bytes_max, 3 * gib + 5);
  EXPECT_EQ(budgets->request_bytes_one_max, 2 * mib);
  EXPECT_EQ(budgets->slots, 7u);
  EXPECT_EQ(budgets->slot_bytes, 9 * mib);
  EXPECT_EQ(budgets->connections_max, 33u);
}

TEST(Budgets, ASetThatCannotHoldIsRefusedInOneLine) {
  ServeConfig config;
  config.max_body = 0;
  EXPECT_EQ(refusal(config), "--max-body: expected at least 1 byte, got 0");

  config = {};
  config.slot_bytes = 4095;
  EXPECT_EQ(refusal(config), "--slot-size: expected at least 4096 bytes, got 4095");

  config = {};
  config.memory_budget = 256 * mib - 1;
  EXPECT_EQ(
      refusal(config),
      "--memory-budget: expected at least 268435456 bytes, twice the buffer of the largest body (--max-body 67108864), "
      "got 268435455");
  config.memory_budget = 256 * mib;
  EXPECT_EQ(refusal(config), "accepted");

  config = {};
  config.memory_budget = 2 * gib + 1;
  EXPECT_EQ(refusal(config, {.cores = 4, .memory_bytes = 4 * gib, .gpu = false}),
            "--memory-budget: expected at most half of the machine's 4294967296 bytes, got 2147483649");
  EXPECT_EQ(refusal(config, {.cores = 4, .memory_bytes = 0, .gpu = false}), "accepted")
      << "unknown memory cannot be judged";
}

TEST(Budgets, ABodySizeNearTheEndOfTheNumbersIsRefusedToo) {
  ServeConfig config;
  for (const std::uint64_t size : {UINT64_MAX, UINT64_MAX / 2 + 1, UINT64_MAX / 2, UINT64_MAX / 4}) {
    config.max_body = size;
    EXPECT_THAT(refusal(config), testing::HasSubstr(std::to_string(size)));
  }
  config.max_body = UINT64_MAX;
  EXPECT_EQ(refusal(config),
            "--max-body: expected at most half of --memory-budget (1073741824 bytes), got 18446744073709551615");
}

TEST(Budgets, EveryHolderOfMemoryHasItsLine) {
  const auto budgets = derive_budgets({}, machine);
  ASSERT_TRUE(budgets);
  EXPECT_THAT(budgets->lines(),
              testing::ElementsAre("request buffers: 1024 MiB in all, at most 128 MiB for one body",
                                   "requests in flight: 65536", "connections: 16384 of about 12 KiB = 192 MiB",
                                   "slots per device: 4 of 2 x 4096 KiB, 1024 requests each",
                                   "threads: 4 I/O, 1 dispatcher, 1 admin, 4 for large JSON"));
}

}  // namespace
}  // namespace headrace::app
