#include "service/telemetry/process_sample.hpp"

#include <gtest/gtest.h>

#include <chrono>
#include <fstream>

namespace headrace::telemetry {
namespace {

TEST(ProcStat, ANameWithBracketsAndBlanksDoesNotShiftTheFields) {
  const auto stat =
      parse_proc_stat("42 (head) race) S 1 2 3 4 5 6 7 8 9 10 111 222 13 14 15 16 17 18 19000 20 2100 22\n");
  ASSERT_TRUE(stat);
  EXPECT_EQ(stat->user_ticks, 111U);
  EXPECT_EQ(stat->system_ticks, 222U);
  EXPECT_EQ(stat->start_ticks, 19000U);
  EXPECT_EQ(stat->resident_pages, 2100U);
}

TEST(ProcStat, ABrokenTextIsNothing) {
  EXPECT_FALSE(parse_proc_stat(""));
  EXPECT_FALSE(parse_proc_stat("42 (headrace) S 1 2"));
  EXPECT_FALSE(parse_proc_stat("42 (headrace) S 1 2 3 4 5 6 7 8 9 10 x 222 13 14 15 16 17 18 19000 20 2100 22"));
}

TEST(BootTime, IsFoundAtItsLine) {
  EXPECT_EQ(parse_boot_time("cpu 1 2\nbtime 1700000000\nprocesses 3\n"), 1'700'000'000U);
  EXPECT_EQ(parse_boot_time("btime 5"), 5U);
  EXPECT_FALSE(parse_boot_time("cpu 1 2\nmybtime 3\n"));
  EXPECT_FALSE(parse_boot_time(""));
}

TEST(ProcessSample, SaysWhatIsTrueOfThisProcess) {
  const auto before = read_process_sample();
  ASSERT_TRUE(before);
  EXPECT_GT(before->resident_bytes, 100'000);
  const double now = std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
  EXPECT_LE(before->start_time_seconds, now + 2);
  EXPECT_GT(before->start_time_seconds, now - 3600);
  const std::ifstream one_more("/proc/self/stat");
  const auto after = read_process_sample();
  ASSERT_TRUE(after);
  EXPECT_EQ(after->open_fds, before->open_fds + 1);
  EXPECT_GE(after->cpu_seconds, before->cpu_seconds);
}

}  // namespace
}  // namespace headrace::telemetry
