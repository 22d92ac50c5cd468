// What each operator says of itself: known answers, edge rules, and the refusal of what does not fit.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>
#include <vector>

#include "tests/gpu/ops/one_step.hpp"

namespace headrace::gpu {
namespace {

using support::fp32_row;
using support::fp32_weight;
using testing::ElementsAre;
using testing::FloatNear;
using testing::HasSubstr;
using testing::IsNan;

TEST(Affine, ScalesAndShiftsWithDefaultsOfOneAndZero) {
  EXPECT_THAT(run(fp32_row({3}), {"affine", {{"scale", 2.0}, {"shift", 1.0}}}, {1, -2, 0.5f}), ElementsAre(3, -3, 2));
  EXPECT_THAT(run(fp32_row({2}), {"affine", {}}, {1, -2}), ElementsAre(1, -2));
  EXPECT_THAT(run(fp32_row({2}), {"affine", {{"scale", std::int64_t{3}}}}, {1, -2}), ElementsAre(3, -6));
}

TEST(Affine, RefusesWhatItCannotHold) {
  EXPECT_EQ(refusal({ElementType::f64, {2}}, {"affine", {}}), "step 1 (affine): input: expected FP32, got FP64[2]");
  EXPECT_EQ(refusal(fp32_row({2}), {"affine", {{"scale", 1e39}}}),
            "step 1 (affine): scale: expected a finite number within FP32's range, got 1e+39");
  EXPECT_THAT(refusal(fp32_row({2}), {"affine", {{"shift", std::nan("")}}}), HasSubstr("shift: expected a finite"));
}

TEST(Relu, KeepsNanAndTheSignOfZero) {
  const auto y = run(fp32_row({6}), {"relu", {}}, {-1, 0, 2, nan, -infinity, infinity});
  EXPECT_THAT(y, ElementsAre(0, 0, 2, IsNan(), 0, infinity));
  EXPECT_TRUE(std::signbit(run(fp32_row({1}), {"relu", {}}, {-0.0f})[0]));
  EXPECT_EQ(refusal({ElementType::i32, {1}}, {"relu", {}}), "step 1 (relu): input: expected FP32, got INT32[1]");
}

TEST(Softmax, GivesProbabilitiesThatDependOnDifferencesOnly) {
  const auto low = run(fp32_row({3}), {"softmax", {}}, {0, std::log(2.0f), std::log(5.0f)});
  EXPECT_THAT(low, ElementsAre(FloatNear(0.125f, 1e-6f), FloatNear(0.25f, 1e-6f), FloatNear(0.625f, 1e-6f)));
  EXPECT_EQ(run(fp32_row({2}), {"softmax", {}}, {1000, 1000}), (std::vector<float>{0.5f, 0.5f}));
  EXPECT_EQ(run(fp32_row({2}), {"softmax", {}}, {3e38f, -3e38f}), (std::vector<float>{1, 0}));
}

TEST(Softmax, RunsOverTheLastDimensionEachVectorByItself) {
  const auto y = run(fp32_row({2, 2}), {"softmax", {}}, {0, 0, nan, 0});
  EXPECT_THAT(y, ElementsAre(0.5f, 0.5f, IsNan(), IsNan()));
  EXPECT_THAT(run(fp32_row({}), {"softmax", {}}, {7}), ElementsAre(1));
}

TEST(Softmax, InfinitiesFollowTheContract) {
  EXPECT_THAT(run(fp32_row({3}), {"softmax", {}}, {-infinity, 1, 1}), ElementsAre(0, 0.5f, 0.5f));
  EXPECT_THAT(run(fp32_row({2}), {"softmax", {}}, {infinity, 1}), ElementsAre(IsNan(), IsNan()));
  EXPECT_THAT(run(fp32_row({2}), {"softmax", {}}, {-infinity, -infinity}), ElementsAre(IsNan(), IsNan()));
}

TEST(Softmax, IsWithinToleranceOverTheWholeRangeOfDifferences) {
  const auto program = build(fp32_row({2}), {"softmax", {}}).value();
  const Step& step = *program->steps().front();
  std::vector<float> in;
  for (float difference = 0; difference < 120; difference += 0.01f) in.insert(in.end(), {difference, 0});
  EXPECT_EQ(disagreement(step, in), "");
}

TEST(Softmax, SumsLongRowsWithoutDrift) {
  constexpr std::int64_t width = 1 << 20;
  const auto y = run(fp32_row({width}), {"softmax", {}}, std::vector<float>(width, 3.0f));
  EXPECT_EQ(y.front(), 0x1p-20f);
  EXPECT_EQ(y.back(), 0x1p-20f);
}

TEST(Linear, SubnormalWeightsAreWithinTheToleranceAndLeaveTheThreadsModeAlone) {
  const auto weight = fp32_weight({1, 3}, std::vector<float>{0x1p-140f, 2, 0x1p-149f});
  EXPECT_THAT(run(fp32_row({3}), {"linear", {{"weight", weight}}}, {1, 3, 1}), ElementsAre(6));
  volatile float tiny = 0x1p-126f;
  EXPECT_EQ(tiny / 2, 0x1p-127f);
}

TEST(Linear, MultipliesByTheTransposedWeightAndAddsTheBias) {
  const auto weight = fp32_weight({2, 3}, std::vector<float>{1, 2, 3, 4, 5, 6});
  const auto bias = fp32_weight({2}, std::vector<float>{10, 20});
  EXPECT_THAT(run(fp32_row({3}), {"linear", {{"weight", weight}, {"bias", bias}}}, {1, 0, -1, 1, 1, 1}),
              ElementsAre(8, 18, 16, 35));
  EXPECT_THAT(run(fp32_row({3}), {"linear", {{"weight", weight}}}, {1, 0, -1}), ElementsAre(-2, -2));
}

TEST(Linear, KeepsTheDimensionsBeforeTheLast) {
  const auto weight = fp32_weight({1, 2}, std::vector<float>{1, -1});
  const auto program = build(fp32_row({3, 2}), {"linear", {{"weight", weight}}}).value();
  EXPECT_EQ(program->outputs().front().type, fp32_row({3, 1}));
  EXPECT_THAT(run(*program->steps().front(), {5, 1, 2, 2, 0, 1}), ElementsAre(4, 0, -1));
}

TEST(Linear, TakesWeightsFromAnyAddress) {
  std::vector<std::byte> memory(2 * sizeof(float) + 65);
  std::byte* odd = memory.data() + 1;
  const float values[] = {3, 4};
  std::memcpy(odd, values, sizeof values);
  const HostTensor weight{ElementType::f32, {1, 2}, odd, nullptr};
  const auto program = build(fp32_row({2}), {"linear", {{"weight", weight}}}).value();
  memory.assign(memory.size(), std::byte{0});
  EXPECT_THAT(run(*program->steps().front(), {1, 1}), ElementsAre(7)) << "copied, since nobody else keeps it alive";
}

TEST(Linear, RefusesShapesThatDoNotFit) {
  const auto weight = fp32_weight({2, 3}, 1);
  EXPECT_EQ(refusal(fp32_row({4}), {"linear", {{"weight", weight}}}),
            "step 1 (linear): input: expected a last dimension of 3 as weight [2, 3] has it, got FP32[4]");
  EXPECT_THAT(refusal(fp32_row({}), {"linear", {{"weight", weight}}}), HasSubstr("input: expected a last dimension"));
  EXPECT_EQ(refusal(fp32_row({3}), {"linear", {{"weight", weight}, {"bias", fp32_weight({3}, 1)}}}),
            "step 1 (linear): bias: expected [2] as weight [2, 3] has it, got [3]");
  EXPECT_EQ(refusal(fp32_row({3}), {"linear", {{"weight", fp32_weight({6}, 1)}}}),
            "step 1 (linear): weight: expected 2 dimensions, got [6]");
  EXPECT_THAT(refusal(fp32_row({3}), {"linear", {}}), HasSubstr("weight: expected"));
  HostTensor wide = weight;
  wide.element = ElementType::f64;
  EXPECT_EQ(refusal(fp32_row({3}), {"linear", {{"weight", wide}}}), "step 1 (linear): weight: expected FP32, got FP64");
}

TEST(Linear, CountsItsWeights) {
  const auto program =
      build(fp32_row({3}), {"linear", {{"weight", fp32_weight({2, 3}, 1)}, {"bias", fp32_weight({2}, 2)}}});
  EXPECT_EQ(program.value()->weight_bytes(), (6 + 2) * sizeof(float));
}

}  // namespace
}  // namespace headrace::gpu
