#include "gpu/devices.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gpu/device_selection.hpp"

namespace headrace::gpu {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using Kind = DeviceSelection::Kind;

TEST(DeviceSelection, ReadsEveryForm) {
  EXPECT_EQ(parse_device_selection("auto")->kind, Kind::automatic);
  EXPECT_EQ(parse_device_selection("cpu")->kind, Kind::cpu);
  const auto every = parse_device_selection("cuda");
  EXPECT_EQ(every->kind, Kind::cuda);
  EXPECT_THAT(every->ordinals, IsEmpty());
  EXPECT_EQ(parse_device_selection("cuda:1")->ordinals, (std::vector<int>{1}));
  EXPECT_EQ(parse_device_selection("cuda:2,0")->ordinals, (std::vector<int>{2, 0}));
}

TEST(DeviceSelection, RefusesEverythingElse) {
  for (const std::string_view text : {"", "gpu", "CPU", "cuda:", "cuda:-1", "cuda:1,", "cuda:,1", "cuda:1,1", "cuda:x",
                                      "cuda:1x", "cuda:99999999999", "cpu:0", "cuda: 1", "cuda:+1"}) {
    const auto selection = parse_device_selection(text);
    ASSERT_FALSE(selection.has_value()) << text;
    EXPECT_EQ(selection.error().kind, ErrorKind::unavailable);
    EXPECT_THAT(selection.error().message, HasSubstr("got '" + std::string(text) + "'"));
  }
}

TEST(OpenDevices, OpensTheCpuDevice) {
  const auto opened = open_devices("cpu", {});
  ASSERT_TRUE(opened.has_value());
  ASSERT_EQ(opened->devices.size(), 1u);
  EXPECT_THAT(opened->note, IsEmpty());
  const DeviceInfo& info = opened->devices.front()->info();
  EXPECT_EQ(info.kind, DeviceKind::cpu);
  EXPECT_EQ(info.label, "cpu");
  EXPECT_GT(info.memory_bytes_total, 0u);
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(opened->devices.front()->lost());
}

TEST(OpenDevices, AutoAlwaysOpensSomethingAndSaysWhyItIsTheCpu) {
  const auto opened = open_devices("auto", {});
  ASSERT_TRUE(opened.has_value());
  ASSERT_FALSE(opened->devices.empty());
  const bool on_cpu = opened->devices.front()->info().kind == DeviceKind::cpu;
  EXPECT_EQ(on_cpu, !opened->note.empty());
}

TEST(OpenDevices, NamesTheDeviceThatIsNotThere) {
  const auto opened = open_devices("cuda:1000", {});
  ASSERT_FALSE(opened.has_value());
  EXPECT_EQ(opened.error().kind, ErrorKind::unavailable);
  EXPECT_THAT(opened.error().message, HasSubstr("device: asked for cuda"));
}

}  // namespace
}  // namespace headrace::gpu
