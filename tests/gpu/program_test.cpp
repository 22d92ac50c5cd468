#include "gpu/program.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <utility>

#include "tests/support/programs.hpp"

namespace headrace::gpu {
namespace {

using support::fp32_row;
using support::fp32_weight;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

ProgramSpec spec_of(TensorType input, std::vector<StepSpec> steps) {
  return {.inputs = {{"x", std::move(input)}}, .steps = std::move(steps), .output_names = {"y"}};
}

std::string message_of(ProgramSpec spec) {
  const auto program = Program::build(std::move(spec));
  if (program) return "(built)";
  EXPECT_EQ(program.error().kind, ErrorKind::invalid_program);
  return program.error().message;
}

std::string message_of(StepSpec step) { return message_of(spec_of(fp32_row({64}), {std::move(step)})); }

TEST(Program, ChainsTypesFromStepToStep) {
  const auto program = support::classifier_program();
  ASSERT_EQ(program->steps().size(), 5u);
  for (std::size_t i = 1; i < program->steps().size(); ++i) {
    EXPECT_EQ(program->steps()[i]->input(), program->steps()[i - 1]->output());
  }
  EXPECT_EQ(program->inputs().front().name, "x");
  EXPECT_EQ(program->outputs().front().name, "y");
  EXPECT_EQ(program->outputs().front().type, fp32_row({10}));
  EXPECT_EQ(program->widest_row_bytes(), 128u * 4);
  EXPECT_EQ(program->weight_bytes(), (64u * 128 + 128 + 128 * 10 + 10) * 4);
}

TEST(Program, NamesStepOperatorAndWhatDoesNotFit) {
  const std::string message =
      message_of(spec_of(fp32_row({64}), {{"relu", {}}, {"linear", {{"weight", fp32_weight({10, 128}, 1)}}}}));
  EXPECT_THAT(message, AllOf(StartsWith("step 2 (linear): "), HasSubstr("[10, 128]"), HasSubstr("64")));
}

TEST(Program, WantsExactlyOneInputAndOneOutputAndAStep) {
  ProgramSpec none = spec_of(fp32_row({4}), {{"relu", {}}});
  none.inputs.clear();
  EXPECT_EQ(message_of(none), "inputs: expected exactly 1, got 0");
  ProgramSpec two = spec_of(fp32_row({4}), {{"relu", {}}});
  two.output_names.emplace_back("z");
  EXPECT_EQ(message_of(two), "outputs: expected exactly 1, got 2");
  EXPECT_THAT(message_of(spec_of(fp32_row({4}), {})), HasSubstr("steps: expected at least 1, got 0"));
  ProgramSpec nameless = spec_of(fp32_row({4}), {{"relu", {}}});
  nameless.output_names.front().clear();
  EXPECT_THAT(message_of(nameless), HasSubstr("outputs[0].name"));
}

TEST(Program, RefusesRowShapesThatAreNone) {
  const std::int64_t huge = std::numeric_limits<std::int64_t>::max();
  for (const std::vector<std::int64_t>& shape :
       {std::vector<std::int64_t>{0}, {-1}, {4, 0}, {huge}, {1 << 30, 1 << 30, 16}}) {
    EXPECT_THAT(message_of(spec_of({ElementType::f32, shape}, {{"identity", {}}})), StartsWith("input 'x': shape: "))
        << shape_text(shape);
  }
  EXPECT_EQ(message_of(spec_of({ElementType::f32, {}}, {{"identity", {}}})), "(built)") << "a scalar row is a row";
}

TEST(Program, RefusesAnUnknownOperatorWithTheNearest) {
  EXPECT_THAT(
      message_of(StepSpec{"liner", {}}),
      AllOf(StartsWith("step 1 (liner): unknown operator 'liner'; did you mean 'linear'?"), HasSubstr("softmax")));
  EXPECT_THAT(message_of(StepSpec{"", {}}), HasSubstr("unknown operator ''"));
}

TEST(Program, RefusesAnUnknownParameterWithTheNearest) {
  EXPECT_THAT(message_of(StepSpec{"affine", {{"scal", 2.0}}}),
              StartsWith("step 1 (affine): unknown parameter 'scal'; did you mean 'scale'? (known: "));
  EXPECT_THAT(message_of(StepSpec{"relu", {{"slope", 2.0}}}), HasSubstr("unknown parameter 'slope' (there are none)"));
}

TEST(Program, RefusesAMissingParameter) {
  EXPECT_THAT(message_of(StepSpec{"linear", {}}),
              AllOf(StartsWith("step 1 (linear): weight: expected the name of a weight"), HasSubstr("got none")));
}

TEST(Program, RefusesAParameterOfAnotherKind) {
  EXPECT_THAT(message_of(StepSpec{"affine", {{"scale", std::string("fast")}}}),
              HasSubstr("scale: expected a number, got 'fast'"));
  EXPECT_THAT(message_of(StepSpec{"affine", {{"scale", true}}}), HasSubstr("scale: expected a number, got true"));
  EXPECT_THAT(message_of(StepSpec{"linear", {{"weight", 2.5}}}),
              HasSubstr("weight: expected the name of a weight, got 2.5"));
  EXPECT_THAT(message_of(StepSpec{"affine", {{"scale", fp32_weight({1}, 1)}}}),
              HasSubstr("scale: expected a number, got a weight of shape [1]"));
}

TEST(Program, RefusesWeightsWithoutContent) {
  EXPECT_THAT(message_of(StepSpec{"linear", {{"weight", HostTensor{ElementType::f32, {0, 64}, nullptr, nullptr}}}}),
              HasSubstr("weight: expected dimensions of at least 1, got [0, 64]"));
  EXPECT_THAT(message_of(StepSpec{"linear", {{"weight", HostTensor{ElementType::f32, {1, 64}, nullptr, nullptr}}}}),
              HasSubstr("weight: expected a weight with data"));
}

TEST(Program, TakesAWholeNumberWhereANumberIsExpected) {
  EXPECT_EQ(message_of(StepSpec{"affine", {{"scale", std::int64_t{2}}}}), "(built)");
}

}  // namespace
}  // namespace headrace::gpu
