#include "load/bench/figures.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace headrace::bench {
namespace {

using testing::HasSubstr;

Figures sample() {
  return {.device = "cuda:0 NVIDIA H200",
          .quick = false,
          .rows = {{"ring", "4x4MiB", "copy_engines", {{"gbps_each_way", 43.5}, {"us_per_batch", 96.4}}, {}},
                   {"devices", "all", "automatic", {}, "skipped: there is one device"}}};
}

TEST(Figures, TextHasARowForEach) {
  const std::string text = sample().text();
  EXPECT_THAT(text, HasSubstr("on cuda:0 NVIDIA H200\n"));
  EXPECT_THAT(text, HasSubstr("gbps_each_way 43.50"));
  EXPECT_THAT(text, HasSubstr("skipped: there is one device\n"));
}

TEST(Figures, JsonKeepsNamesAndThreeDecimals) {
  EXPECT_EQ(sample().json(),
            R"({"program":"headrace-bench","device":"cuda:0 NVIDIA H200","quick":false,"rows":[)"
            R"({"bench":"ring","case":"4x4MiB","way":"copy_engines",)"
            R"("figures":{"gbps_each_way":43.500,"us_per_batch":96.400},"note":""},)"
            R"({"bench":"devices","case":"all","way":"automatic","figures":{},"note":"skipped: there is one device"}]})"
            "\n");
}

TEST(Figures, SizesReadAsTheyAreSpoken) {
  EXPECT_EQ(bytes_text(16), "16B");
  EXPECT_EQ(bytes_text(1024), "1KiB");
  EXPECT_EQ(bytes_text(1536), "1536B");
  EXPECT_EQ(bytes_text(std::size_t{16} << 20), "16MiB");
}

TEST(Figures, AQuantileIsTheLeastValueThatTheShareDoesNotExceed) {
  std::vector<double> values{4, 1, 3, 2};
  EXPECT_EQ(quantile(values, 0.5), 2);
  EXPECT_EQ(quantile(values, 0.99), 4);
  EXPECT_EQ(quantile(values, 0), 1);
  std::vector<double> none;
  EXPECT_EQ(quantile(none, 0.5), 0);
  EXPECT_EQ(median({5}), 5);
}

}  // namespace
}  // namespace headrace::bench
