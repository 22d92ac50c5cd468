#pragma once
// The documents around inference: health, server metadata, model metadata and configuration, errors.
// Every function returns a complete JSON text; nothing here fails.

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "proto/datatype.hpp"
#include "proto/error.hpp"

namespace headrace::proto {

struct TensorDescription {
  std::string name;
  Datatype datatype = Datatype::fp32;
  std::vector<std::int64_t> row_shape;  // without the batch dimension; -1 where free
};

/// What the protocol tells about one model.
struct ModelDescription {
  std::string name;
  std::string version = "1";
  std::vector<TensorDescription> inputs;
  std::vector<TensorDescription> outputs;
  std::uint32_t max_batch_size = 0;  // effective: at least 1 for every headrace model
  std::uint64_t max_queue_delay_us = 0;
  std::uint64_t max_queue_size = 0;
  std::uint64_t timeout_us = 0;
  bool on_gpu = false;
  std::uint32_t slots = 1;
  std::vector<int> gpus;
};

/// A duration of the statistics document: how often, and the sum in ns.
struct StatisticDuration {
  std::uint64_t count = 0;
  std::uint64_t ns = 0;
};

/// One model's counters as /stats shows them.
struct ModelStatistics {
  std::string name;
  std::string version = "1";
  std::uint64_t last_inference_ms = 0;  // since the epoch
  std::uint64_t inference_count = 0;    // rows
  std::uint64_t execution_count = 0;    // batches
  StatisticDuration success, fail, queue, compute_input, compute_infer, compute_output;
};

struct RepositoryEntry {
  std::string name;
  std::string version;  // empty when not loaded
  bool ready = false;
  std::string reason;  // why not
};

std::string error_document(std::string_view message);                    // {"error":"…"}
std::string live_document(bool live);                                    // {"live":true}
std::string ready_document(bool live, bool ready);                       // {"live":true,"ready":true}
std::string model_ready_document(std::string_view name, bool ready);     // {"name":"M","ready":true}
std::string server_document(std::string_view version);                   // GET /v2
std::string model_list_document(std::span<const std::string> names);     // GET /v2/models
std::string model_metadata_document(const ModelDescription& model);      // GET /v2/models/M
std::string model_config_document(const ModelDescription& model);        // GET /v2/models/M/config
std::string statistics_document(std::span<const ModelStatistics> models);  // GET /v2/models[/M]/stats
std::string repository_index_document(std::span<const RepositoryEntry> entries);  // POST /v2/repository/index

}  // namespace headrace::proto
