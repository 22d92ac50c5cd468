// Operators over the last dimension: known answers, and what each header says of edges and parameters.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/ops/conformance.hpp"
#include "tests/gpu/ops/one_step.hpp"

namespace headrace::gpu {
namespace {

using support::fp32_row;
using testing::Each;
using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;
using testing::IsNan;

std::vector<float> over(std::string_view op, const std::vector<float>& row, Parameters parameters = {}) {
  return run(fp32_row({static_cast<std::int64_t>(row.size())}), {std::string(op), std::move(parameters)}, row);
}

float one(std::string_view op, const std::vector<float>& row) {
  const auto answer = over(op, row);
  EXPECT_EQ(answer.size(), 1u);
  return answer.front();
}

TEST(Reductions, DropTheLastDimension) {
  const auto output = [](TensorType input) { return build(std::move(input), {"sum", {}}).value()->outputs()[0].type; };
  EXPECT_EQ(output(fp32_row({5})), fp32_row({}));
  EXPECT_EQ(output(fp32_row({2, 3, 5})), fp32_row({2, 3}));
  EXPECT_EQ(output(fp32_row({})), fp32_row({}));
  EXPECT_THAT(run(fp32_row({2, 2}), {"sum", {}}, {1, 2, 3, 4}), ElementsAre(3, 7));
  EXPECT_EQ(refusal({ElementType::i32, {4}}, {"sum", {}}), "step 1 (sum): input: expected FP32, got INT32[4]");
}

TEST(Sum, CarriesMoreThanFp32) {
  EXPECT_EQ(one("sum", {0x1p24f, 1, 1, -0x1p24f}), 2);
  EXPECT_EQ(one("sum", {3e38f, 3e38f, -3e38f}), 3e38f);
  EXPECT_EQ(one("sum", {3e38f, 3e38f}), infinity);
  EXPECT_THAT(one("sum", {infinity, -infinity}), IsNan());
  EXPECT_EQ(one("sum", std::vector<float>(1 << 20, 0.1f)), 0.1f * 0x1p20f);
}

TEST(Mean, DividesBeforeItRounds) {
  EXPECT_EQ(one("mean", {3e38f, 3e38f}), 3e38f);
  EXPECT_EQ(one("mean", {1, 2, 4, 5}), 3);
  EXPECT_THAT(one("mean", {1, nan}), IsNan());
}

TEST(Variance, IsTakenAroundTheMean) {
  EXPECT_EQ(one("variance", {1, 3}), 1);
  EXPECT_EQ(one("variance", {1e7f + 1, 1e7f + 3}), 1);
  EXPECT_EQ(one("variance", std::vector<float>(1000, 0.1f)), 0);
  EXPECT_EQ(one("variance", {5}), 0);
  EXPECT_THAT(one("variance", {1, infinity}), IsNan());
}

TEST(Cumsum, AddsUpEachVectorByItself) {
  EXPECT_THAT(over("cumsum", {1, 2, -4}), ElementsAre(1, 3, -1));
  EXPECT_THAT(run(fp32_row({2, 2}), {"cumsum", {}}, {1, 2, 3, 4}), ElementsAre(1, 3, 3, 7));
  EXPECT_THAT(over("cumsum", {0x1p24f, 1, 1}), ElementsAre(0x1p24f, 0x1p24f, 0x1p24f + 2));
  EXPECT_THAT(over("cumsum", {1, infinity, 1, -infinity}), ElementsAre(1, infinity, infinity, IsNan()));
}

TEST(LogSoftmax, IsTheLogarithmOfSoftmax) {
  EXPECT_THAT(over("log_softmax", {0, std::log(3.0f)}),
              ElementsAre(FloatEq(-std::log(4.0f)), FloatEq(std::log(0.75f))));
  EXPECT_THAT(over("log_softmax", {0, -1000}), ElementsAre(0, -1000)) << "where softmax would be 0";
  EXPECT_THAT(over("log_softmax", {-infinity, 1, 1}),
              ElementsAre(-infinity, FloatEq(-std::log(2.0f)), FloatEq(-std::log(2.0f))));
  EXPECT_THAT(over("log_softmax", {infinity, 1}), Each(IsNan()));
  EXPECT_THAT(over("log_softmax", {-infinity, -infinity}), Each(IsNan()));
  EXPECT_THAT(over("log_softmax", {1, nan}), Each(IsNan()));
}

TEST(L2, NeitherOverflowsNorLosesSmallOnes) {
  EXPECT_EQ(one("l2", {3, -4}), 5);
  EXPECT_EQ(one("l2", {3e30f, 4e30f}), 5e30f);
  EXPECT_EQ(one("l2", {3e-30f, 4e-30f}), 5e-30f);
  EXPECT_EQ(one("l2", {-infinity, 1}), infinity);
}

TEST(MaxAndMin, FindNanWhereverItStands) {
  std::vector<float> row(37, 1.0f);
  row[5] = -7;
  row[20] = 9;
  EXPECT_EQ(one("max", row), 9);
  EXPECT_EQ(one("min", row), -7);
  EXPECT_EQ(one("max", {-infinity, -infinity}), -infinity);
  EXPECT_EQ(one("min", {infinity}), infinity);
  for (std::size_t at = 0; at < row.size(); ++at) {
    auto with_nan = row;
    with_nan[at] = nan;
    EXPECT_THAT(one("max", with_nan), IsNan()) << at;
    EXPECT_THAT(one("min", with_nan), IsNan()) << at;
  }
}

std::int64_t place(std::string_view op, const std::vector<float>& row) {
  const auto program = build(fp32_row({static_cast<std::int64_t>(row.size())}), {std::string(op), {}}).value();
  EXPECT_EQ(program->outputs()[0].type, (TensorType{ElementType::i64, {}}));
  const auto bytes = run_bytes(*program->steps().front(), std::as_bytes(std::span(row)));
  EXPECT_EQ(bytes.size(), sizeof(std::int64_t));
  return static_cast<std::int64_t>(element_value(ElementType::i64, bytes.data()));
}

TEST(Arg, IsTheFirstOfTheBest) {
  EXPECT_EQ(place("argmax", {1, 5, 2, 5}), 1);
  EXPECT_EQ(place("argmin", {1, -5, 2, -5}), 1);
  EXPECT_EQ(place("argmax", {-0.0f, 0.0f}), 0);
  EXPECT_EQ(place("argmin", {0.0f, -0.0f}), 0);
  EXPECT_EQ(place("argmax", std::vector<float>(37, -infinity)), 0);
  EXPECT_EQ(place("argmin", std::vector<float>(37, infinity)), 0);
}

TEST(Arg, TakesTheFirstNanForBetterThanAnyNumber) {
  std::vector<float> row(37, 1.0f);
  row[3] = infinity;
  row[4] = -infinity;
  row[30] = nan;
  for (std::size_t at = 0; at < 30; ++at) {
    auto with_two = row;
    with_two[at] = nan;
    EXPECT_EQ(place("argmax", with_two), at);
    EXPECT_EQ(place("argmin", with_two), at);
  }
}

TEST(Layernorm, CentresAndScales) {
  EXPECT_THAT(over("layernorm", {1, 3}, {{"epsilon", 0.0}}), ElementsAre(-1, 1));
  EXPECT_THAT(over("layernorm", {1, 3}, {{"epsilon", 3.0}}), ElementsAre(-0.5f, 0.5f));
  EXPECT_THAT(over("layernorm", {7, 7, 7}), Each(0.0f));
  EXPECT_THAT(over("layernorm", {7, 7}, {{"epsilon", 0.0}}), Each(IsNan()));
  EXPECT_THAT(over("layernorm", {1, infinity}), Each(IsNan()));
  EXPECT_THAT(over("layernorm", {1e6f, 1e6f + 1}, {{"epsilon", 0.0}}), ElementsAre(-1, 1)) << "a mean far from 0";
}

TEST(Rmsnorm, ScalesOnly) {
  EXPECT_THAT(over("rmsnorm", {3, 4, 0, 0}, {{"epsilon", 0.0}}), ElementsAre(FloatEq(1.2f), FloatEq(1.6f), 0, 0));
  EXPECT_THAT(over("rmsnorm", {1, -infinity}), ElementsAre(0, IsNan()));
}

TEST(L2Normalize, MakesVectorsOfLengthOne) {
  EXPECT_THAT(over("l2_normalize", {3, 4}), ElementsAre(0.6f, 0.8f));
  EXPECT_THAT(over("l2_normalize", {3e-30f, 4e-30f}, {{"epsilon", 0.0}}), ElementsAre(FloatEq(0.6f), FloatEq(0.8f)));
  EXPECT_THAT(over("l2_normalize", {0, 0}), Each(0.0f));
  EXPECT_THAT(run(fp32_row({2, 2}), {"l2_normalize", {}}, {3, 4, nan, 1}), ElementsAre(0.6f, 0.8f, IsNan(), IsNan()));
}

TEST(Standardize, LeavesEqualElementsAtZero) {
  EXPECT_THAT(over("standardize", {1, 3, 1, 3}), ElementsAre(-1, 1, -1, 1));
  EXPECT_THAT(over("standardize", std::vector<float>(1000, 0.1f)), Each(0.0f));
  EXPECT_EQ(refusal(fp32_row({2}), {"standardize", {{"epsilon", -1.0}}}),
            "step 1 (standardize): epsilon: expected a number of at least 0, got -1");
}

}  // namespace
}  // namespace headrace::gpu
