#include "service/telemetry/metrics.hpp"

#include <prometheus/text_serializer.h>

#include <cassert>
#include <map>
#include <mutex>
#include <sstream>

#include "service/telemetry/device_metrics.hpp"
#include "service/telemetry/exposition.hpp"
#include "service/telemetry/label_table.hpp"
#include "service/telemetry/model_metrics.hpp"
#include "service/telemetry/process_sample.hpp"
#include "service/telemetry/shards.hpp"

namespace headrace::telemetry {
namespace {

struct alignas(64) ServiceCells {
  std::array<Cell, LabelTable::size_max> host_copied;
  std::array<Cell, code_count> unrouted;
};

}  // namespace

struct Metrics::Impl {
  // The series of these exist from the start; others join when they are first seen.
  LabelTable reasons{"queue_full", "over_budget", "deadline_expired", "client_gone", "draining", "not_ready"};
  LabelTable copy_paths{"body_prefix", "chunked", "gather"};
  Shards<ServiceCells> shards;

  mutable std::mutex series_mutex;  // of the two maps
  std::map<std::string, std::unique_ptr<ModelSeries>, std::less<>> models;
  std::map<std::string, std::unique_ptr<DeviceSeries>, std::less<>> devices;

  mutable std::mutex gauges_mutex;
  std::function<GaugeSnapshot()> gauges;

  Scrape scrape() const;
};

Metrics::Metrics() : impl_(std::make_unique<Impl>()) {}
Metrics::~Metrics() = default;

ModelMetrics& Metrics::model(std::string_view name) {
  assert(!name.empty() && "model \"\" holds what reached no model");
  const std::lock_guard lock(impl_->series_mutex);
  const auto found = impl_->models.find(name);
  if (found != impl_->models.end()) return *found->second;
  return *impl_->models.emplace(name, std::make_unique<ModelSeries>(impl_->reasons)).first->second;
}

DeviceMetrics& Metrics::device(std::string_view label) {
  const std::lock_guard lock(impl_->series_mutex);
  const auto found = impl_->devices.find(label);
  if (found != impl_->devices.end()) return *found->second;
  return *impl_->devices.emplace(label, std::make_unique<DeviceSeries>()).first->second;
}

void Metrics::add_host_copied(std::string_view path, std::uint64_t bytes) noexcept {
  if (auto* const cells = impl_->shards.mine()) cells->host_copied[impl_->copy_paths.number(path)].add(bytes);
}

void Metrics::record_unrouted(int http_status) noexcept {
  if (auto* const cells = impl_->shards.mine()) cells->unrouted[code_index(http_status)].add(1);
}

void Metrics::set_gauges(std::function<GaugeSnapshot()> source) {
  const std::lock_guard lock(impl_->gauges_mutex);
  impl_->gauges = std::move(source);
}

Scrape Metrics::Impl::scrape() const {
  Scrape scrape;
  std::array<std::uint64_t, LabelTable::size_max> copied{};
  std::array<std::uint64_t, code_count> unrouted{};
  shards.each([&](const ServiceCells& cells) {
    for (std::size_t i = 0; i < copied.size(); ++i) copied[i] += cells.host_copied[i].get();
    for (std::size_t i = 0; i < code_count; ++i) unrouted[i] += cells.unrouted[i].get();
  });
  for (std::size_t i = 0; i < copy_paths.size(); ++i) scrape.host_copied.emplace_back(copy_paths.name(i), copied[i]);
  for (std::size_t i = 0; i < code_count; ++i) {
    const int code = code_of_index(i);
    if (unrouted[i] > 0 || code == 404) scrape.unrouted.emplace_back(code_label(code), unrouted[i]);
  }
  {
    const std::lock_guard lock(series_mutex);
    for (const auto& [name, series] : models) scrape.models.push_back({name, series->totals()});
    for (const auto& [label, series] : devices) scrape.devices.push_back({label, series->totals()});
  }
  // After the totals: a reason that they count has its name by now.
  for (std::size_t i = 0; i < reasons.size(); ++i) scrape.reasons.push_back(reasons.name(i));
  {
    const std::lock_guard lock(gauges_mutex);
    if (gauges) scrape.gauges = gauges();
  }
  scrape.process = read_process_sample();
  scrape.version = HEADRACE_VERSION;
  return scrape;
}

std::string Metrics::render() const {
  const Exposition exposition(impl_->scrape());
  std::ostringstream out;
  prometheus::TextSerializer().Serialize(out, exposition.Collect());
  return std::move(out).str();
}

}  // namespace headrace::telemetry
