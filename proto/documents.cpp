#include "proto/documents.hpp"

#include "proto/json_writer.hpp"

namespace headrace::proto {

std::string error_document(std::string_view message) {
  std::string text;
  JsonWriter(text).begin_object().string("error", message).end_object();
  return text;
}

std::string live_document(bool live) {
  std::string text;
  JsonWriter(text).begin_object().boolean("live", live).end_object();
  return text;
}

std::string ready_document(bool live, bool ready) {
  std::string text;
  JsonWriter(text).begin_object().boolean("live", live).boolean("ready", ready).end_object();
  return text;
}

std::string model_ready_document(std::string_view name, bool ready) {
  std::string text;
  JsonWriter(text).begin_object().string("name", name).boolean("ready", ready).end_object();
  return text;
}

std::string server_document(std::string_view version) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().string("name", "headrace").string("version", version);
  json.key("extensions").begin_array();
  for (const auto* extension : {"model_configuration", "binary_tensor_data", "statistics"}) json.string(extension);
  json.end_array().end_object();
  return text;
}

std::string model_list_document(std::span<const std::string> names) {
  std::string text;
  JsonWriter json(text);
  json.begin_object().key("models").begin_array();
  for (const auto& name : names) json.string(name);
  json.end_array().end_object();
  return text;
}

std::string repository_index_document(std::span<const RepositoryEntry> entries) {
  std::string text;
  JsonWriter json(text);
  json.begin_array();
  for (const auto& entry : entries) {
    json.begin_object().string("name", entry.name);
    if (!entry.version.empty()) json.string("version", entry.version);
    json.string("state", entry.ready ? "READY" : "UNAVAILABLE");
    if (!entry.reason.empty()) json.string("reason", entry.reason);
    json.end_object();
  }
  json.end_array();
  return text;
}

}  // namespace headrace::proto
