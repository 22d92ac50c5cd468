#include "service/telemetry/exposition.hpp"

#include <algorithm>
#include <array>

namespace headrace::telemetry {
namespace {

using prometheus::ClientMetric;
using prometheus::MetricFamily;
using prometheus::MetricType;
using Labels = std::vector<ClientMetric::Label>;

/// Statuses that a model's clients see in ordinary trouble: at 0 from the start, or a rate() would miss their
/// first one.
constexpr std::array codes_from_start{200, 400, 404, 413, 429, 499, 500, 503, 504};

ClientMetric counter(Labels labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.counter.value = value;
  return metric;
}

ClientMetric counter(Labels labels, std::uint64_t value) {
  return counter(std::move(labels), static_cast<double>(value));
}

ClientMetric gauge(Labels labels, double value) {
  ClientMetric metric;
  metric.label = std::move(labels);
  metric.gauge.value = value;
  return metric;
}

/// Edges and the sum are shown divided by `scale`.
template <class Buckets>
ClientMetric histogram(Labels labels, const HistogramTotals<Buckets>& totals, double scale) {
  ClientMetric metric;
  metric.label = std::move(labels);
  std::uint64_t cumulative = 0;
  metric.histogram.bucket.reserve(Buckets::edge_count);
  for (std::size_t i = 0; i < Buckets::edge_count; ++i) {
    cumulative += totals.buckets[i];
    metric.histogram.bucket.push_back({cumulative, static_cast<double>(Buckets::edges[i]) / scale});
  }
  metric.histogram.sample_count = cumulative + totals.buckets[Buckets::edge_count];
  metric.histogram.sample_sum = static_cast<double>(totals.sum) / scale;
  return metric;
}

MetricFamily& add(std::vector<MetricFamily>& families, MetricType type, std::string name, std::string help) {
  return families.emplace_back(MetricFamily{std::move(name), std::move(help), type, {}});
}

void add_gauge(std::vector<MetricFamily>& families, std::string name, std::string help, double value,
               Labels labels = {}) {
  add(families, MetricType::Gauge, std::move(name), std::move(help)).metric.push_back(gauge(std::move(labels), value));
}

std::string duration_label(std::size_t index) {
  return index == total_duration ? "total" : std::string(stage_name(static_cast<Stage>(index)));
}

bool shown(int code, std::uint64_t count) {
  return count > 0 || std::ranges::find(codes_from_start, code) != codes_from_start.end();
}

}  // namespace

std::string code_label(int http_status) { return http_status == 0 ? "other" : std::to_string(http_status); }

std::vector<MetricFamily> Exposition::Collect() const {
  std::vector<MetricFamily> families;
  collect_models(families);
  collect_gauges(families);
  collect_flights(families);
  collect_devices(families);
  collect_sensors(families);
  collect_process(families);
  return families;
}

void Exposition::collect_models(std::vector<MetricFamily>& families) const {
  constexpr double ns_per_second = 1e9;
  auto stages =
      MetricFamily{"headrace_stage_duration_seconds",
                   "Time of successful requests by stage, and in total; a batch's time counts whole for each request.",
                   MetricType::Histogram,
                   {}};
  auto rows = MetricFamily{"headrace_batch_rows", "Rows of each batch given to the device.", MetricType::Histogram, {}};
  auto requests = MetricFamily{"headrace_requests_total",
                               "Requests by HTTP status; model \"\" holds those that reached no model.",
                               MetricType::Counter,
                               {}};
  auto rejected = MetricFamily{
      "headrace_rejected_total", "Requests refused or dropped before the device, by reason.", MetricType::Counter, {}};
  for (const auto& [name, totals] : scrape_.models) {
    for (std::size_t i = 0; i < duration_count; ++i) {
      stages.metric.push_back(
          histogram({{"model", name}, {"stage", duration_label(i)}}, totals.durations[i], ns_per_second));
    }
    rows.metric.push_back(histogram({{"model", name}}, totals.batch_rows, 1));
    for (std::size_t i = 0; i < code_count; ++i) {
      const int code = code_of_index(i);
      if (!shown(code, totals.codes[i])) continue;
      requests.metric.push_back(counter({{"model", name}, {"code", code_label(code)}}, totals.codes[i]));
    }
    for (std::size_t i = 0; i < scrape_.reasons.size(); ++i) {
      rejected.metric.push_back(counter({{"model", name}, {"reason", scrape_.reasons[i]}}, totals.rejected[i]));
    }
  }
  for (const auto& [code, count] : scrape_.unrouted) {
    requests.metric.push_back(counter({{"model", ""}, {"code", code}}, count));
  }
  for (auto* family : {&stages, &rows, &requests, &rejected}) families.push_back(std::move(*family));
  auto& copied = add(families, MetricType::Counter, "headrace_host_copied_bytes_total",
                     "Bytes that the host copied on the request path, by the place that copied them.");
  for (const auto& [path, bytes] : scrape_.host_copied) copied.metric.push_back(counter({{"path", path}}, bytes));
}

void Exposition::collect_gauges(std::vector<MetricFamily>& families) const {
  const auto& gauges = scrape_.gauges;
  auto depth = MetricFamily{"headrace_queue_depth", "Requests waiting in the model's queue.", MetricType::Gauge, {}};
  auto capacity =
      MetricFamily{"headrace_queue_capacity", "Requests that the model's queue holds at most.", MetricType::Gauge, {}};
  for (const auto& queue : gauges.queues) {
    depth.metric.push_back(gauge({{"model", queue.model}}, queue.depth));
    capacity.metric.push_back(gauge({{"model", queue.model}}, queue.capacity));
  }
  families.push_back(std::move(depth));
  families.push_back(std::move(capacity));
  auto& slots = add(families, MetricType::Gauge, "headrace_slots", "Slots of the staging ring by state.");
  for (const auto& device : gauges.slots) {
    const std::array<std::pair<const char*, double>, 4> states{
        {{"free", device.free}, {"filling", device.filling}, {"in_flight", device.in_flight}, {"done", device.done}}};
    for (const auto& [state, count] : states) {
      slots.metric.push_back(gauge({{"device", device.device}, {"state", state}}, count));
    }
  }
  add_gauge(families, "headrace_inflight_requests", "Requests admitted and not yet answered.",
            gauges.inflight_requests);
  add_gauge(families, "headrace_bytes_held", "Bytes charged to requests and their answers.", gauges.bytes_held);
  add_gauge(families, "headrace_bytes_budget", "Bytes that may be charged at most.", gauges.bytes_budget);
  add_gauge(families, "headrace_connections", "Open client connections.", gauges.connections);
  add_gauge(families, "headrace_ready", "1 while the service says that it is ready.", gauges.ready ? 1 : 0);
  add_gauge(families, "headrace_build_info", "1; the version is in the label.", 1, {{"version", scrape_.version}});
}

void Exposition::collect_flights(std::vector<MetricFamily>& families) const {
  auto& flights = add(families, MetricType::Counter, "headrace_flights_total",
                      "Batches that the device was given, by how their rows passed and by how they ended.");
  for (const auto& [label, totals] : scrape_.devices) {
    for (const bool copy_engines : {false, true}) {
      for (const bool ok : {true, false}) {
        flights.metric.push_back(counter({{"device", label},
                                          {"transfer", copy_engines ? "copy_engines" : "in_place"},
                                          {"outcome", ok ? "ok" : "failed"}},
                                         totals.flights[copy_engines][ok]));
      }
    }
  }
}

void Exposition::collect_devices(std::vector<MetricFamily>& families) const {
  const auto& devices = scrape_.gauges.devices;
  auto& info = add(families, MetricType::Gauge, "headrace_device_info", "1; what the device is stands in the labels.");
  for (const auto& device : devices) {
    info.metric.push_back(gauge({{"device", device.device}, {"kind", device.kind}, {"name", device.name}}, 1));
  }
  auto& lost = add(families, MetricType::Gauge, "headrace_device_lost",
                   "1 once the device has failed for good: it serves nothing any more.");
  for (const auto& device : devices) lost.metric.push_back(gauge({{"device", device.device}}, device.lost ? 1 : 0));
  auto& busy = add(families, MetricType::Counter, "headrace_device_busy_seconds_total",
                   "Time in which the engine was at work for any flight, by the device's own clock.");
  for (const auto& device : devices) {
    const std::array<std::pair<const char*, double>, 3> engines{
        {{"h2d", device.h2d_busy_seconds}, {"kernel", device.kernel_busy_seconds}, {"d2h", device.d2h_busy_seconds}}};
    for (const auto& [engine, seconds] : engines) {
      busy.metric.push_back(counter({{"device", device.device}, {"engine", engine}}, seconds));
    }
  }
  auto& spurious = add(families, MetricType::Counter, "headrace_spurious_notices_total",
                       "Notices of a flight's end that came twice or late, and were dropped.");
  for (const auto& device : devices) {
    spurious.metric.push_back(counter({{"device", device.device}}, device.spurious_notices));
  }
}

void Exposition::collect_sensors(std::vector<MetricFamily>& families) const {
  using Device = GaugeSnapshot::Device;
  // A family that no device has a value for is left out.
  const auto add_sensor = [&](std::string name, std::string help, std::optional<double> Device::* value) {
    MetricFamily family{std::move(name), std::move(help), MetricType::Gauge, {}};
    for (const auto& device : scrape_.gauges.devices) {
      if (device.*value) family.metric.push_back(gauge({{"device", device.device}}, *(device.*value)));
    }
    if (!family.metric.empty()) families.push_back(std::move(family));
  };
  add_sensor("headrace_device_utilisation_ratio",
             "Share of the driver's last sample period in which a kernel was at work, of any process.",
             &Device::utilisation_ratio);
  add_sensor("headrace_device_memory_used_bytes", "Device memory in use by all processes and the driver.",
             &Device::memory_used_bytes);
  add_sensor("headrace_device_memory_total_bytes", "Device memory.", &Device::memory_total_bytes);
  add_sensor("headrace_device_power_watts", "What the board draws.", &Device::power_watts);
  add_sensor("headrace_device_temperature_celsius", "Temperature of the device's die.", &Device::temperature_celsius);
}

void Exposition::collect_process(std::vector<MetricFamily>& families) const {
  if (!scrape_.process) return;
  const auto& process = *scrape_.process;
  auto& cpu = add(families, MetricType::Counter, "process_cpu_seconds_total", "User and system CPU time in seconds.");
  cpu.metric.emplace_back().counter.value = process.cpu_seconds;
  add_gauge(families, "process_resident_memory_bytes", "Resident memory in bytes.", process.resident_bytes);
  add_gauge(families, "process_open_fds", "Open file descriptors.", process.open_fds);
  add_gauge(families, "process_start_time_seconds", "Start of the process in seconds since the epoch.",
            process.start_time_seconds);
}

}  // namespace headrace::telemetry
