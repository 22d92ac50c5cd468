#include "gpu/cuda/transfer_cost.hpp"

#include <gtest/gtest.h>

namespace headrace::gpu::cuda {
namespace {

constexpr std::size_t kib = 1024;
constexpr std::size_t mib = 1024 * kib;

Transfer chosen(std::size_t in, std::size_t out, std::uint32_t segments, bool alone) {
  return choose_transfer({}, {.in_bytes = in, .out_bytes = out, .segments = segments, .alone = alone});
}

TEST(TransferCost, SmallRequestsAreReadInPlace) {
  for (const bool alone : {true, false}) {
    EXPECT_EQ(chosen(64 * kib, 64 * kib, 64, alone), Transfer::in_place);
    EXPECT_EQ(chosen(kib, kib, 1, alone), Transfer::in_place);
    EXPECT_EQ(chosen(mib, mib, 256, alone), Transfer::in_place);
    EXPECT_EQ(chosen(mib, mib, 64, alone), Transfer::in_place);
  }
}

TEST(TransferCost, AloneAFlightIsReadInPlaceBecauseBothWaysGoAtOnce) {
  EXPECT_EQ(chosen(4 * mib, 4 * mib, 1, true), Transfer::in_place);
  EXPECT_EQ(chosen(64 * mib, 64 * mib, 1, true), Transfer::in_place);
}

TEST(TransferCost, LargeRequestsGoByEngineWhenOthersKeepTheBusBusy) {
  EXPECT_EQ(chosen(4 * mib, 4 * mib, 1, false), Transfer::copy_engines);
  EXPECT_EQ(chosen(4 * mib, 4 * mib, 64, false), Transfer::copy_engines);
  EXPECT_EQ(chosen(64 * mib, 64 * mib, 64, false), Transfer::copy_engines);
}

TEST(TransferCost, LargeInputsWithSmallAnswersGoByEngineEvenAlone) {
  EXPECT_EQ(chosen(64 * mib, kib, 1, true), Transfer::copy_engines);
}

TEST(TransferCost, GrowsWithBytesAndCopies) {
  const TransferCosts costs;
  const TransferLoad small{.in_bytes = mib, .out_bytes = mib, .segments = 1, .alone = false};
  const TransferLoad large{.in_bytes = 2 * mib, .out_bytes = mib, .segments = 1, .alone = false};
  const TransferLoad split{.in_bytes = mib, .out_bytes = mib, .segments = 8, .alone = false};
  EXPECT_LT(in_place_time(costs, small), in_place_time(costs, large));
  EXPECT_LT(engines_time(costs, small), engines_time(costs, large));
  EXPECT_EQ(in_place_time(costs, small), in_place_time(costs, split));
  const TransferLoad shredded{.in_bytes = mib, .out_bytes = mib, .segments = 64, .alone = false};
  EXPECT_LT(engines_time(costs, split), engines_time(costs, shredded)) << "the host's time counts";
}

}  // namespace
}  // namespace headrace::gpu::cuda
