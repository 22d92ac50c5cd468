#include "service/pipeline/binding.hpp"

#include <gmock/gmock.h>

namespace headrace::pipeline {
namespace {

using proto::Datatype;
using testing::ElementsAre;

proto::ModelDescription two_by_two() {
  proto::ModelDescription model;
  model.name = "m";
  model.max_batch_size = 8;
  model.inputs = {{.name = "a", .datatype = Datatype::fp32, .row_shape = {3}},
                  {.name = "b", .datatype = Datatype::int64, .row_shape = {}}};
  model.outputs = {{.name = "y", .datatype = Datatype::fp32, .row_shape = {2}},
                   {.name = "z", .datatype = Datatype::fp32, .row_shape = {}}};
  return model;
}

proto::InputTensor input(std::string name, Datatype datatype, proto::Shape shape) {
  proto::InputTensor tensor;
  tensor.name = std::move(name);
  tensor.datatype = datatype;
  tensor.shape = shape;
  return tensor;
}

proto::InferRequest request(std::vector<proto::InputTensor> inputs) {
  proto::InferRequest made;
  made.inputs = std::move(inputs);
  return made;
}

std::string refusal(std::vector<proto::InputTensor> inputs) {
  const auto made = request(std::move(inputs));
  const auto bound = bind_inputs(made, two_by_two());
  if (bound) return "accepted";
  EXPECT_EQ(bound.error().code, proto::ErrorCode::invalid_argument);
  return bound.error().message;
}

TEST(Binding, InputsComeInTheModelsOrder) {
  for (const bool swapped : {false, true}) {
    auto made = request({input("a", Datatype::fp32, {5, 3}), input("b", Datatype::int64, {5})});
    if (swapped) std::swap(made.inputs[0], made.inputs[1]);
    const auto bound = bind_inputs(made, two_by_two());
    ASSERT_TRUE(bound) << bound.error().message;
    EXPECT_EQ(bound->rows, 5u);
    EXPECT_EQ(bound->inputs[0]->name, "a");
    EXPECT_EQ(bound->inputs[1]->name, "b");
  }
}

TEST(Binding, RowsFromNoneToTheMost) {
  for (const std::int64_t rows : {0, 1, 8}) {
    const auto made = request({input("a", Datatype::fp32, {rows, 3}), input("b", Datatype::int64, {rows})});
    const auto bound = bind_inputs(made, two_by_two());
    ASSERT_TRUE(bound) << bound.error().message;
    EXPECT_EQ(bound->rows, static_cast<std::uint32_t>(rows));
  }
  for (const std::int64_t rows : {std::int64_t{9}, std::int64_t{1} << 32, INT64_MAX}) {
    EXPECT_EQ(refusal({input("a", Datatype::fp32, {rows, 3}), input("b", Datatype::int64, {rows})}),
              "input 'a': expected at most 8 rows (max_batch_size of model 'm'), got " + std::to_string(rows));
  }
}

TEST(Binding, EachRefusalNamesTheTensorAndBothSides) {
  const auto a = input("a", Datatype::fp32, {5, 3});
  const auto b = input("b", Datatype::int64, {5});
  EXPECT_EQ(refusal({a, b, input("c", Datatype::fp32, {5})}),
            "input 'c': model 'm' has no such input (expected 'a', 'b')");
  EXPECT_EQ(refusal({a}), "inputs: expected 'a', 'b' (all inputs of model 'm'), 'b' is missing");
  EXPECT_EQ(refusal({}), "inputs: expected 'a', 'b' (all inputs of model 'm'), 'a' is missing");
  EXPECT_EQ(refusal({input("a", Datatype::fp64, {5, 3}), b}), "input 'a': expected datatype FP32, got FP64");
  EXPECT_EQ(refusal({a, input("b", Datatype::int64, {6})}), "input 'b': expected 5 rows as in input 'a', got 6");
  EXPECT_EQ(refusal({input("A", Datatype::fp32, {5, 3}), b}),
            "input 'A': model 'm' has no such input (expected 'a', 'b')");
}

TEST(Binding, TheRowShapeMustMatchExactly) {
  const auto b = input("b", Datatype::int64, {5});
  for (const auto& shape : {proto::Shape{5}, {5, 4}, {5, 3, 1}, {5, 1, 3}, {3, 5}, {}}) {
    EXPECT_EQ(refusal({input("a", Datatype::fp32, shape), b}),
              "input 'a': expected shape [rows,3], got " + shape.to_string());
  }
  EXPECT_EQ(refusal({input("a", Datatype::fp32, {5, 3}), input("b", Datatype::int64, {})}),
            "input 'b': expected shape [rows], got []");
}

proto::InferRequest wanting(std::vector<proto::RequestedOutput> outputs, bool binary = false) {
  proto::InferRequest made;
  made.outputs = std::move(outputs);
  made.binary_data_output = binary;
  return made;
}

std::vector<std::pair<int, bool>> selected(const proto::InferRequest& made) {
  const auto selection = select_outputs(made, two_by_two());
  if (!selection) return {};
  std::vector<std::pair<int, bool>> all;
  for (const auto& output : selection->all()) all.emplace_back(output.index, output.binary);
  EXPECT_EQ(selection->any_json(), std::any_of(all.begin(), all.end(), [](const auto& o) { return !o.second; }));
  return all;
}

TEST(Selection, NoneNamedMeansAllOfTheModels) {
  EXPECT_THAT(selected(wanting({})), ElementsAre(std::pair(0, false), std::pair(1, false)));
  EXPECT_THAT(selected(wanting({}, true)), ElementsAre(std::pair(0, true), std::pair(1, true)));
}

TEST(Selection, NamedOnesComeInTheRequestsOrderAndForm) {
  EXPECT_THAT(selected(wanting({{.name = "z", .binary = true, .classification = {}},
                                {.name = "y", .binary = {}, .classification = {}}})),
              ElementsAre(std::pair(1, true), std::pair(0, false)));
  EXPECT_THAT(selected(wanting({{.name = "z", .binary = {}, .classification = {}}}, true)),
              ElementsAre(std::pair(1, false)))
      << "binary_data_output speaks of unnamed outputs only";
}

TEST(Selection, RefusalsNameTheOutput) {
  const auto unknown = select_outputs(wanting({{.name = "w", .binary = {}, .classification = {}}}), two_by_two());
  ASSERT_FALSE(unknown);
  EXPECT_EQ(unknown.error().message, "output 'w': model 'm' has no such output (expected 'y', 'z')");
  const auto classes = select_outputs(wanting({{.name = "y", .binary = {}, .classification = 3}}), two_by_two());
  ASSERT_FALSE(classes);
  EXPECT_EQ(classes.error().code, proto::ErrorCode::unsupported_feature);
  EXPECT_EQ(classes.error().message, "output 'y': parameters.classification is not supported");
}

}  // namespace
}  // namespace headrace::pipeline
