// Element-wise operators: each over the whole range of FP32, and what each header says of edges and parameters.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/ops/catalogue.hpp"
#include "tests/gpu/ops/one_step.hpp"

namespace headrace::gpu {
namespace {

using support::fp32_row;
using testing::ElementsAre;
using testing::FloatEq;
using testing::FloatNear;
using testing::IsNan;

/// Every 4099th bit pattern: both signs, all exponents, subnormals, NaN.
std::vector<float> floats_of_every_size() {
  std::vector<float> values;
  for (std::uint64_t bits = 0; bits <= 0xffffffffu; bits += 4099) {
    values.push_back(std::bit_cast<float>(static_cast<std::uint32_t>(bits)));
  }
  return values;
}

std::vector<float> map(std::string_view op, Parameters parameters, const std::vector<float>& in) {
  return run(fp32_row({}), {std::string(op), std::move(parameters)}, in);
}

std::string refused(std::string_view op, Parameters parameters) {
  return refusal(fp32_row({2}), {std::string(op), std::move(parameters)});
}

class Elementwise : public testing::TestWithParam<std::string_view> {};

TEST_P(Elementwise, IsWithinItsToleranceOverTheWholeRange) {
  const std::vector<float> values = floats_of_every_size();
  for (const auto& step : find_operator(GetParam())->examples(1)) {
    if (step->input().row_elements() == 1) {
      EXPECT_EQ(disagreement(*step, values), "");
    }
  }
}

TEST_P(Elementwise, TakesFp32Only) {
  EXPECT_EQ(find_operator(GetParam())->examples(1).front()->output(), fp32_row({128}));
  StepSpec step{std::string(GetParam()), {}};
  for (const ParameterDescription& parameter : find_operator(GetParam())->parameters) {
    if (parameter.required) step.parameters.emplace(parameter.name, 1.0);
  }
  EXPECT_EQ(refusal({ElementType::i32, {2}}, step), "step 1 (" + step.op + "): input: expected FP32, got INT32[2]");
}

#define HEADRACE_ELEMENTWISE(name, type) #name,
constexpr std::string_view names[]{
#include "gpu/ops/elementwise.def"
};
#undef HEADRACE_ELEMENTWISE

INSTANTIATE_TEST_SUITE_P(Catalogue, Elementwise, testing::ValuesIn(names),
                         [](const auto& name) { return std::string(name.param); });

TEST(Arithmetic, TakesItsConstant) {
  EXPECT_THAT(map("add", {{"value", 1.5}}, {1, -2, infinity, nan}), ElementsAre(2.5f, -0.5f, infinity, IsNan()));
  EXPECT_THAT(map("sub", {{"value", 1.5}}, {1, -2, -infinity}), ElementsAre(-0.5f, -3.5f, -infinity));
  EXPECT_THAT(map("mul", {{"value", std::int64_t{-2}}}, {1, 3e38f, 0x1p-149f}), ElementsAre(-2, -infinity, -0x1p-148f));
  EXPECT_THAT(map("mul", {{"value", 0.0}}, {5, infinity}), ElementsAre(0, IsNan()));
  EXPECT_THAT(map("div", {{"value", 4.0}}, {1, -2, infinity, 0}), ElementsAre(0.25f, -0.5f, infinity, 0));
}

TEST(Arithmetic, RefusesWhatIsNoConstant) {
  EXPECT_EQ(refused("add", {}), "step 1 (add): value: expected a number (what is added, FP32), got none");
  EXPECT_EQ(refused("mul", {{"value", 1e39}}),
            "step 1 (mul): value: expected a finite number within FP32's range, got 1e+39");
  EXPECT_EQ(refused("sub", {{"value", std::string("one")}}), "step 1 (sub): value: expected a number, got 'one'");
  EXPECT_EQ(refused("div", {{"value", 0.0}}), "step 1 (div): value: expected a number other than 0 in FP32, got 0");
  EXPECT_EQ(refused("div", {{"value", 1e-60}}),
            "step 1 (div): value: expected a number other than 0 in FP32, got 1e-60");
}

TEST(Abs, DropsTheSignOfEverything) {
  EXPECT_THAT(map("abs", {}, {-1, 2, -infinity, nan}), ElementsAre(1, 2, infinity, IsNan()));
  EXPECT_FALSE(std::signbit(map("abs", {}, {-0.0f})[0]));
}

TEST(Neg, TurnsTheSignOfEverything) {
  EXPECT_THAT(map("neg", {}, {-1, 2, infinity, nan}), ElementsAre(1, -2, -infinity, IsNan()));
  EXPECT_TRUE(std::signbit(map("neg", {}, {0.0f})[0]));
}

TEST(Clip, HoldsBothBoundsOrOne) {
  EXPECT_THAT(map("clip", {{"min", -1.0}, {"max", 2.0}}, {-3, 0.5f, 3, nan, -infinity}),
              ElementsAre(-1, 0.5f, 2, IsNan(), -1));
  EXPECT_THAT(map("clip", {{"max", 2.0}}, {-3, infinity}), ElementsAre(-3, 2));
  EXPECT_THAT(map("clip", {{"min", 2.0}}, {-3, infinity}), ElementsAre(2, infinity));
  EXPECT_TRUE(std::signbit(map("clip", {{"min", 0.0}}, {-0.0f})[0]));
  EXPECT_EQ(refused("clip", {{"min", 2.0}, {"max", 1.0}}),
            "step 1 (clip): max: expected at least min, which is 2, got 1");
}

TEST(LeakyRelu, ScalesWhatIsBelowZero) {
  EXPECT_THAT(map("leaky_relu", {}, {-100, 0, 3, nan}), ElementsAre(FloatEq(-1), 0, 3, IsNan()));
  EXPECT_THAT(map("leaky_relu", {{"slope", 0.5}}, {-4, -infinity}), ElementsAre(-2, -infinity));
}

TEST(Gelu, KnowsBothForms) {
  EXPECT_THAT(map("gelu", {}, {0, 1, -1, infinity, -infinity, nan}),
              ElementsAre(0, FloatNear(0.8413447f, 1e-6f), FloatNear(-0.1586553f, 1e-6f), infinity, IsNan(), IsNan()));
  EXPECT_THAT(map("gelu", {{"form", std::string("tanh")}}, {0, 1, -1}),
              ElementsAre(0, FloatNear(0.8411920f, 1e-6f), FloatNear(-0.1588080f, 1e-6f)));
  EXPECT_EQ(refused("gelu", {{"form", std::string("exact")}}),
            "step 1 (gelu): form: expected 'erf' or 'tanh', got 'exact'");
}

TEST(Sigmoid, ReachesItsLimits) {
  EXPECT_THAT(map("sigmoid", {}, {0, infinity, -infinity, nan}), ElementsAre(0.5f, 1, 0, IsNan()));
  EXPECT_THAT(map("silu", {}, {0, infinity, -infinity, nan}), ElementsAre(0, infinity, IsNan(), IsNan()));
  EXPECT_THAT(map("silu", {}, {1}), ElementsAre(FloatNear(0.7310586f, 1e-6f)));
}

TEST(Tanh, ReachesItsLimits) {
  EXPECT_THAT(map("tanh", {}, {infinity, -infinity, nan, 1e-30f}), ElementsAre(1, -1, IsNan(), 1e-30f));
  EXPECT_TRUE(std::signbit(map("tanh", {}, {-0.0f})[0]));
}

TEST(Exp, ReachesInfinityAndTheSubnormals) {
  EXPECT_THAT(map("exp", {}, {0, 88.8f, 1000, -infinity, infinity, nan}),
              ElementsAre(1, infinity, infinity, 0, infinity, IsNan()));
  EXPECT_GT(map("exp", {}, {-100})[0], 0.0f);
}

TEST(Log, ReachesInfinityAndTheSubnormals) {
  EXPECT_THAT(map("log", {}, {1, 0, -0.0f, -1, infinity, nan}),
              ElementsAre(0, -infinity, -infinity, IsNan(), infinity, IsNan()));
  EXPECT_THAT(map("log", {}, {0x1p-149f}), ElementsAre(FloatEq(-103.278929f)));
}

TEST(Roots, FollowTheirEdges) {
  EXPECT_THAT(map("sqrt", {}, {4, -1, infinity, nan}), ElementsAre(2, IsNan(), infinity, IsNan()));
  EXPECT_TRUE(std::signbit(map("sqrt", {}, {-0.0f})[0]));
  EXPECT_THAT(map("rsqrt", {}, {4, -1, infinity, 0, -0.0f}), ElementsAre(0.5f, IsNan(), 0, infinity, -infinity));
}

TEST(Pow, HasTheEdgesOfC) {
  EXPECT_THAT(map("pow", {{"exponent", 2.0}}, {3, -3, infinity}), ElementsAre(9, 9, infinity));
  EXPECT_THAT(map("pow", {{"exponent", 0.0}}, {0, nan}), ElementsAre(1, 1));
  EXPECT_THAT(map("pow", {{"exponent", 0.5}}, {4, -4}), ElementsAre(2, IsNan()));
  EXPECT_THAT(map("pow", {{"exponent", -1.0}}, {0, -0.0f}), ElementsAre(infinity, -infinity));
  EXPECT_EQ(refused("pow", {}), "step 1 (pow): exponent: expected a number (FP32), got none");
}

}  // namespace
}  // namespace headrace::gpu
