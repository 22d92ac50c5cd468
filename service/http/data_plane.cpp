#include "service/http/data_plane.hpp"

#include <algorithm>
#include <vector>

#include "proto/documents.hpp"
#include "proto/repository_index.hpp"

namespace headrace::http {

namespace {

Reply json(std::string body) {
  Reply reply;
  reply.body = std::move(body);
  return reply;
}

proto::ModelStatistics statistics_of(const pipeline::ServedModel& model) {
  const auto sums = model.metrics.sums();
  proto::ModelStatistics statistics;
  statistics.name = model.description.name;
  statistics.version = model.description.version;
  statistics.last_inference_ms = sums.last_inference_ms;
  statistics.inference_count = sums.rows;
  statistics.execution_count = sums.batches;
  statistics.success = {sums.success_count, sums.success_ns};
  statistics.fail = {sums.fail_count, sums.fail_ns};
  statistics.queue = {sums.success_count, sums.queue_ns};
  statistics.compute_input = {sums.success_count, sums.compute_input_ns};
  statistics.compute_infer = {sums.success_count, sums.compute_infer_ns};
  statistics.compute_output = {sums.success_count, sums.compute_output_ns};
  return statistics;
}

}  // namespace

Reply live_reply() { return json(proto::live_document(true)); }

Reply ready_reply(const Lifecycle& lifecycle, const pipeline::FrontDoor& door) {
  const bool ready = lifecycle.ready.load(std::memory_order_acquire) && !door.device_lost();
  Reply reply = json(proto::ready_document(true, ready));
  if (!ready) reply.status = 503;
  return reply;
}

DataPlane::DataPlane(pipeline::FrontDoor& door, const Lifecycle& lifecycle, std::string version)
    : door_(door), lifecycle_(lifecycle), version_(std::move(version)) {}

Reply DataPlane::answer(const RouteMatch& match, std::string_view body) {
  switch (match.route) {
    case Route::live: return live_reply();
    case Route::ready: return ready_reply(lifecycle_, door_);
    case Route::server: return json(proto::server_document(version_));
    case Route::all_stats: return all_statistics();
    case Route::repository_index: return repository_index(body);
    case Route::model_list: {
      std::vector<std::string> names;
      for (const auto& [name, model] : door_.models()) names.push_back(name);
      return json(proto::model_list_document(names));
    }
    case Route::repository_control:
      return error_reply({proto::ErrorCode::forbidden, "loading and unloading models over HTTP is not available"});
    case Route::model:
    case Route::model_ready:
    case Route::model_config:
    case Route::model_stats: {
      const auto model = door_.find(match.model, match.version);
      if (!model) return error_reply(model.error());
      return model_answer(match, **model);
    }
    default: return error_reply({proto::ErrorCode::not_found, "Not Found"});
  }
}

Reply DataPlane::model_answer(const RouteMatch& match, const pipeline::ServedModel& model) const {
  switch (match.route) {
    case Route::model_ready: {
      const bool ready = lifecycle_.ready.load(std::memory_order_acquire) && !door_.device_lost();
      Reply reply = json(proto::model_ready_document(model.description.name, ready));
      if (!ready) reply.status = 503;
      return reply;
    }
    case Route::model_config: return json(proto::model_config_document(model.description));
    case Route::model_stats: {
      const auto statistics = statistics_of(model);
      return json(proto::statistics_document({&statistics, 1}));
    }
    default: return json(proto::model_metadata_document(model.description));
  }
}

Reply DataPlane::all_statistics() const {
  std::vector<proto::ModelStatistics> all;
  for (const auto& [name, model] : door_.models()) all.push_back(statistics_of(*model));
  return json(proto::statistics_document(all));
}

Reply DataPlane::repository_index(std::string_view body) const {
  const auto only_ready = proto::parse_repository_index(body);
  if (!only_ready) return error_reply(only_ready.error());
  std::vector<proto::RepositoryEntry> entries;
  for (const auto& [name, model] : door_.models()) {
    entries.push_back({.name = name, .version = model->description.version, .ready = true, .reason = {}});
  }
  for (const auto& [name, reason] : door_.faults()) {
    if (!*only_ready && !name.empty())
      entries.push_back({.name = name, .version = {}, .ready = false, .reason = reason});
  }
  std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.name < b.name; });
  return json(proto::repository_index_document(entries));
}

}  // namespace headrace::http
