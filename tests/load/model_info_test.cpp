#include "load/model_info.hpp"

#include <gtest/gtest.h>

#include "proto/documents.hpp"

namespace headrace::load {
namespace {

TEST(ModelInfo, ReadsOurOwnDocuments) {
  proto::ModelDescription model;
  model.name = "digits";
  model.inputs = {{"image", proto::Datatype::fp32, {64}}};
  model.outputs = {{"probabilities", proto::Datatype::fp32, {10}}, {"label", proto::Datatype::int64, {}}};
  model.max_batch_size = 4096;
  const auto info = parse_model_info(proto::model_metadata_document(model), proto::model_config_document(model));
  ASSERT_TRUE(info) << info.error();
  EXPECT_EQ(info->name, "digits");
  EXPECT_TRUE(info->batched);
  EXPECT_EQ(info->max_batch_size, 4096U);
  EXPECT_EQ(info->inputs.at(0).row_shape, (std::vector<std::int64_t>{64}));
  EXPECT_EQ(info->outputs.at(1).datatype, proto::Datatype::int64);
  EXPECT_TRUE(info->outputs.at(1).row_shape.empty());
  EXPECT_EQ(info->outputs.at(1).row_elements(), 1U);
}

constexpr std::string_view metadata =
    R"({"name":"m","inputs":[{"name":"x","datatype":"FP32","shape":[-1,4]}],"outputs":[{"name":"y","datatype":"INT8","shape":[-1,2,3]}]})";

TEST(ModelInfo, WithoutConfigTheShapesTell) {
  const auto batched = parse_model_info(metadata, "");
  ASSERT_TRUE(batched) << batched.error();
  EXPECT_TRUE(batched->batched);
  EXPECT_EQ(batched->max_batch_size, 0U);
  EXPECT_EQ(batched->outputs.at(0).row_elements(), 6U);

  const auto single = parse_model_info(
      R"({"name":"m","inputs":[{"name":"x","datatype":"FP32","shape":[4]}],"outputs":[{"name":"y","datatype":"FP32","shape":[4]}]})",
      "");
  ASSERT_TRUE(single) << single.error();
  EXPECT_FALSE(single->batched);
  EXPECT_EQ(single->max_batch_size, 1U);
}

TEST(ModelInfo, AMaxBatchSizeOfZeroMeansNoBatchDimension) {
  const auto info = parse_model_info(metadata, R"({"max_batch_size":0})");
  ASSERT_TRUE(info) << info.error();
  EXPECT_FALSE(info->batched);
  EXPECT_EQ(info->inputs.at(0).row_shape, (std::vector<std::int64_t>{-1, 4}));
}

TEST(ModelInfo, RefusalsNameTheField) {
  const auto refusal = [](std::string_view document, std::string_view config = "") {
    const auto info = parse_model_info(document, config);
    return info ? std::string() : info.error();
  };
  EXPECT_NE(refusal("<html>").find("JSON"), std::string::npos);
  EXPECT_NE(refusal("[]").find("'name'"), std::string::npos);
  EXPECT_NE(refusal(R"({"name":"m"})").find("'inputs'"), std::string::npos);
  EXPECT_NE(refusal(R"({"name":"m","inputs":[]})").find("'inputs'"), std::string::npos);
  EXPECT_NE(refusal(R"({"name":"m","inputs":[{"name":"x","datatype":"FP31","shape":[1]}]})").find("FP31"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"name":"m","inputs":[{"name":"x","datatype":"FP32","shape":[-2]}]})").find("dimension"),
            std::string::npos);
  EXPECT_NE(refusal(R"({"name":"m","inputs":[{"name":"x","datatype":"FP32"}]})").find("'shape'"), std::string::npos);
  EXPECT_NE(refusal(metadata, "nonsense").find("config"), std::string::npos);
  EXPECT_NE(refusal(metadata, R"({"max_batch_size":-1})").find("max_batch_size"), std::string::npos);
  EXPECT_NE(
      refusal(
          R"({"name":"m","inputs":[{"name":"x","datatype":"FP32","shape":[4]}],"outputs":[{"name":"y","datatype":"FP32","shape":[4]}]})",
          R"({"max_batch_size":8})")
          .find("-1"),
      std::string::npos);
}

}  // namespace
}  // namespace headrace::load
