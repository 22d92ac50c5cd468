#include "proto/documents.hpp"

#include <gtest/gtest.h>

#include "proto/json_scan.hpp"

namespace headrace::proto {
namespace {

ModelDescription digits() {
  ModelDescription model;
  model.name = "digits";
  model.inputs = {{"image", Datatype::fp32, {64}}};
  model.outputs = {{"probabilities", Datatype::fp32, {10}}};
  model.max_batch_size = 4096;
  model.max_queue_delay_us = 100;
  model.max_queue_size = 8192;
  model.timeout_us = 7;
  model.slots = 4;
  return model;
}

TEST(Documents, health) {
  EXPECT_EQ(live_document(true), R"({"live":true})");
  EXPECT_EQ(ready_document(true, false), R"({"live":true,"ready":false})");
  EXPECT_EQ(model_ready_document("digits", true), R"({"name":"digits","ready":true})");
}

TEST(Documents, errors_are_json_whatever_the_message_holds) {
  EXPECT_EQ(error_document("no \"x\"\n"), R"({"error":"no \"x\"\n"})");
  EXPECT_EQ(check_json(error_document("\xff\xfe\x01")).fault, JsonCheck::Fault::none);
}

TEST(Documents, server_lists_only_what_works) {
  EXPECT_EQ(server_document("0.1.0"), R"({"name":"headrace","version":"0.1.0",)"
                                      R"("extensions":["model_configuration","binary_tensor_data","statistics"]})");
}

TEST(Documents, model_list_and_repository_index) {
  EXPECT_EQ(model_list_document({}), R"({"models":[]})");
  const std::vector<std::string> names{"a", "b"};
  EXPECT_EQ(model_list_document(names), R"({"models":["a","b"]})");
  const std::vector<RepositoryEntry> entries{{"a", "1", true, ""}, {"b", "", false, "model.yaml: no steps"}};
  EXPECT_EQ(repository_index_document(entries),
            R"([{"name":"a","version":"1","state":"READY"},)"
            R"({"name":"b","state":"UNAVAILABLE","reason":"model.yaml: no steps"}])");
}

TEST(Documents, metadata_and_config_agree_on_the_batch_dimension) {
  EXPECT_EQ(model_metadata_document(digits()),
            R"({"name":"digits","versions":["1"],"platform":"headrace",)"
            R"("inputs":[{"name":"image","datatype":"FP32","shape":[-1,64]}],)"
            R"("outputs":[{"name":"probabilities","datatype":"FP32","shape":[-1,10]}]})");
  EXPECT_EQ(
      model_config_document(digits()),
      R"({"name":"digits","platform":"headrace","backend":"headrace","version_policy":{"latest":{"num_versions":1}},)"
      R"("max_batch_size":4096,"input":[{"name":"image","data_type":"TYPE_FP32","dims":[64],"format":"FORMAT_NONE",)"
      R"("is_shape_tensor":false,"allow_ragged_batch":false,"optional":false}],)"
      R"("output":[{"name":"probabilities","data_type":"TYPE_FP32","dims":[10],"label_filename":"",)"
      R"("is_shape_tensor":false}],)"
      R"("instance_group":[{"name":"digits_0","kind":"KIND_CPU","count":4,"gpus":[]}],)"
      R"("dynamic_batching":{"preferred_batch_size":[],"max_queue_delay_microseconds":100,"preserve_ordering":false,)"
      R"("priority_levels":0,"default_priority_level":0,"default_queue_policy":{"timeout_action":"REJECT",)"
      R"("default_timeout_microseconds":7,"allow_timeout_override":true,"max_queue_size":8192}},)"
      R"("optimization":{"input_pinned_memory":{"enable":false},"output_pinned_memory":{"enable":false}},)"
      R"("parameters":{}})");
}

TEST(Documents, config_of_a_gpu_model_and_keys_that_must_stay_away) {
  auto model = digits();
  model.on_gpu = true;
  model.gpus = {0, 1};
  const auto text = model_config_document(model);
  EXPECT_NE(text.find(R"("kind":"KIND_GPU","count":4,"gpus":[0,1])"), std::string::npos);
  for (const auto* key : {"sequence_batching", "model_transaction_policy", "response_cache", "ensemble"}) {
    EXPECT_EQ(text.find(key), std::string::npos) << key;
  }
}

TEST(Documents, statistics_have_all_eight_durations_even_when_zero) {
  ModelStatistics model;
  model.name = "digits";
  model.last_inference_ms = 5;
  model.inference_count = 6;
  model.execution_count = 2;
  model.queue = {3, 900};
  EXPECT_EQ(
      statistics_document(std::vector{model}),
      R"({"model_stats":[{"name":"digits","version":"1","last_inference":5,"inference_count":6,"execution_count":2,)"
      R"("inference_stats":{"success":{"count":0,"ns":0},"fail":{"count":0,"ns":0},"queue":{"count":3,"ns":900},)"
      R"("compute_input":{"count":0,"ns":0},"compute_infer":{"count":0,"ns":0},"compute_output":{"count":0,"ns":0},)"
      R"("cache_hit":{"count":0,"ns":0},"cache_miss":{"count":0,"ns":0}},)"
      R"("response_stats":{},"batch_stats":[],"memory_usage":[]}]})");
  EXPECT_EQ(statistics_document({}), R"({"model_stats":[]})");
}

}  // namespace
}  // namespace headrace::proto
