#include "proto/documents.hpp"
#include "proto/json_writer.hpp"

namespace headrace::proto {
namespace {

void append_metadata(JsonWriter& json, std::string_view key, std::span<const TensorDescription> tensors, bool batched) {
  json.key(key).begin_array();
  for (const auto& tensor : tensors) {
    json.begin_object().string("name", tensor.name).string("datatype", traits(tensor.datatype).name);
    json.key("shape").begin_array();
    if (batched) json.integer(-1);
    for (const auto dim : tensor.row_shape) json.integer(dim);
    json.end_array().end_object();
  }
  json.end_array();
}

void append_dims(JsonWriter& json, const TensorDescription& tensor) {
  json.string("name", tensor.name).string("data_type", traits(tensor.datatype).config_name);
  json.key("dims").begin_array();
  for (const auto dim : tensor.row_shape) json.integer(dim);
  json.end_array();
}

void append_config_tensors(JsonWriter& json, const ModelDescription& model) {
  json.key("input").begin_array();
  for (const auto& tensor : model.inputs) {
    json.begin_object();
    append_dims(json, tensor);
    json.string("format", "FORMAT_NONE").boolean("is_shape_tensor", false);
    json.boolean("allow_ragged_batch", false).boolean("optional", false).end_object();
  }
  json.end_array().key("output").begin_array();
  for (const auto& tensor : model.outputs) {
    json.begin_object();
    append_dims(json, tensor);
    json.string("label_filename", "").boolean("is_shape_tensor", false).end_object();
  }
  json.end_array();
}

void append_instance_group(JsonWriter& json, const ModelDescription& model) {
  json.key("instance_group").begin_array().begin_object();
  json.string("name", model.name + "_0").string("kind", model.on_gpu ? "KIND_GPU" : "KIND_CPU");
  json.unsigned_integer("count", model.slots).key("gpus").begin_array();
  for (const auto gpu : model.gpus) json.integer(gpu);
  json.end_array().end_object().end_array();
}

void append_batching(JsonWriter& json, const ModelDescription& model) {
  json.key("dynamic_batching").begin_object();
  json.key("preferred_batch_size").begin_array().end_array();
  json.unsigned_integer("max_queue_delay_microseconds", model.max_queue_delay_us);
  json.boolean("preserve_ordering", false);
  json.unsigned_integer("priority_levels", 0).unsigned_integer("default_priority_level", 0);
  json.key("default_queue_policy").begin_object().string("timeout_action", "REJECT");
  json.unsigned_integer("default_timeout_microseconds", model.timeout_us);
  json.boolean("allow_timeout_override", true).unsigned_integer("max_queue_size", model.max_queue_size);
  json.end_object().end_object();
}

void append_duration(JsonWriter& json, std::string_view key, const StatisticDuration& duration) {
  json.key(key).begin_object();
  json.unsigned_integer("count", duration.count).unsigned_integer("ns", duration.ns).end_object();
}

void append_statistics(JsonWriter& json, const ModelStatistics& model) {
  json.begin_object().string("name", model.name).string("version", model.version);
  json.unsigned_integer("last_inference", model.last_inference_ms);
  json.unsigned_integer("inference_count", model.inference_count);
  json.unsigned_integer("execution_count", model.execution_count);
  json.key("inference_stats").begin_object();
  append_duration(json, "success", model.success);
  append_duration(json, "fail", model.fail);
  append_duration(json, "queue", model.queue);
  append_duration(json, "compute_input", model.compute_input);
  append_duration(json, "compute_infer", model.compute_infer);
  append_duration(json, "compute_output", model.compute_output);
  append_duration(json, "cache_hit", {});
  append_duration(json, "cache_miss", {});
  json.end_object().key("response_stats").begin_object().end_object();
  json.key("batch_stats").begin_array().end_array().key("memory_usage").begin_array().end_array();
  json.end_object();
}

}  // namespace

std::string model_metadata_document(const ModelDescription& model) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().string("name", model.name);
  json.key("versions").begin_array().string(model.version).end_array().string("platform", "headrace");
  append_metadata(json, "inputs", model.inputs, model.max_batch_size > 0);
  append_metadata(json, "outputs", model.outputs, model.max_batch_size > 0);
  json.end_object();
  return text;
}

std::string model_config_document(const ModelDescription& model) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().string("name", model.name).string("platform", "headrace").string("backend", "headrace");
  json.key("version_policy").begin_object().key("latest").begin_object();
  json.unsigned_integer("num_versions", 1).end_object().end_object();
  json.unsigned_integer("max_batch_size", model.max_batch_size);
  append_config_tensors(json, model);
  append_instance_group(json, model);
  append_batching(json, model);
  json.key("optimization").begin_object();
  for (const auto* memory : {"input_pinned_memory", "output_pinned_memory"}) {
    json.key(memory).begin_object().boolean("enable", model.on_gpu).end_object();
  }
  json.end_object().key("parameters").begin_object().end_object().end_object();
  return text;
}

std::string statistics_document(std::span<const ModelStatistics> models) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("model_stats").begin_array();
  for (const auto& model : models) append_statistics(json, model);
  json.end_array().end_object();
  return text;
}

}  // namespace headrace::proto
