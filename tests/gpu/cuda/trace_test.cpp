// What a profiler is told, and that without one nothing is.

#include "gpu/cuda/trace.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <thread>

#include "tests/gpu/cuda/nvtx_record.hpp"

namespace headrace::gpu::cuda::trace {
namespace {

using support::in_child;
using support::NvtxRecord;
using testing::ElementsAre;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

TEST(Trace, IsOffWithoutAProfiler) {
  if (in_child()) {
    EXPECT_FALSE(is_on());
    const Scope scope("submit", "digits", 0);
    return;
  }
  EXPECT_EQ(support::run_this_test(), 0);
}

TEST(Trace, NamesRangesOfItsDomain) {
  if (in_child()) {
    EXPECT_TRUE(is_on());
    const Scope submit("submit", "digits", 3);
    { const Scope stage("h2d", "digits", 3); }
    { const Scope stage("kernel", "", UINT32_MAX); }
    return;
  }
  const NvtxRecord record = support::record_this_test();
  EXPECT_EQ(record.exit_status, 0);
  EXPECT_THAT(record.domains, ElementsAre("headrace"));
  EXPECT_THAT(record.faults, IsEmpty());
  EXPECT_THAT(record.ranges, ElementsAre(Pair(0, ElementsAre("submit · digits · slot 3", "  h2d · digits · slot 3",
                                                             "  kernel ·  · slot 4294967295"))));
}

TEST(Trace, RangesNestThreadByThread) {
  if (in_child()) {
    const Scope outer("submit", "one", 1);
    std::thread([] {
      const Scope other("submit", "two", 2);
      const Scope inner("kernel", "two", 2);
    }).join();
    const Scope inner("d2h", "one", 1);
    return;
  }
  const NvtxRecord record = support::record_this_test();
  EXPECT_EQ(record.exit_status, 0);
  EXPECT_THAT(record.faults, IsEmpty());
  EXPECT_THAT(record.ranges,
              UnorderedElementsAre(Pair(0, ElementsAre("submit · one · slot 1", "  d2h · one · slot 1")),
                                   Pair(1, ElementsAre("submit · two · slot 2", "  kernel · two · slot 2"))));
}

// As long as a file name may be is whole; what is longer loses its end, and never the slot.
TEST(Trace, ALongModelNameIsCut) {
  const std::string longest(255, 'm');
  if (in_child()) {
    {
      const Scope scope("kernel", longest, UINT32_MAX);
    }
    { const Scope scope("kernel", longest + "x", 7); }
    { const Scope scope("kernel", std::string(100'000, 'm'), 7); }
    return;
  }
  const NvtxRecord record = support::record_this_test();
  EXPECT_EQ(record.exit_status, 0);
  EXPECT_THAT(record.ranges, ElementsAre(Pair(0, ElementsAre("kernel · " + longest + " · slot 4294967295",
                                                             "kernel · " + longest + " · slot 7",
                                                             "kernel · " + longest + " · slot 7"))));
}

// Characters of 2, 3 and 4 bytes that begin 1, 2 or 3 bytes before the end are left out whole.
TEST(Trace, NoCharacterIsCutInTwo) {
  const std::string two = "é", three = "中", four = "😀";
  if (in_child()) {
    for (const std::string& character : {two, three, four}) {
      for (std::size_t inside = 0; inside <= character.size(); ++inside) {
        const Scope scope("h2d", std::string(255 - inside, 'm') + character + "x", 0);
      }
    }
    return;
  }
  const NvtxRecord record = support::record_this_test();
  EXPECT_EQ(record.exit_status, 0);
  std::vector<std::string> expected;
  for (const std::string& character : {two, three, four}) {
    for (std::size_t inside = 0; inside <= character.size(); ++inside) {
      const std::string rest = inside == character.size() ? character : "";
      expected.push_back("h2d · " + std::string(255 - inside, 'm') + rest + " · slot 0");
    }
  }
  EXPECT_THAT(record.ranges, ElementsAre(Pair(0, testing::ElementsAreArray(expected))));
}

// What is no UTF-8 is shown as it is, all but a few bytes of it.
TEST(Trace, BytesThatAreNoTextAreCutToo) {
  if (in_child()) {
    const Scope scope("h2d", std::string(300, '\xA5'), 0);
    return;
  }
  const NvtxRecord record = support::record_this_test();
  EXPECT_EQ(record.exit_status, 0);
  EXPECT_THAT(record.faults, IsEmpty());
  EXPECT_THAT(record.ranges, ElementsAre(Pair(0, ElementsAre("h2d · " + std::string(252, '\xA5') + " · slot 0"))));
}

}  // namespace
}  // namespace headrace::gpu::cuda::trace
