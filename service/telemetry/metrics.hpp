#pragma once
// Every metric of the service, recorded in one place when a request ends. Hot counters and histograms are
// sharded per thread; gauges are read from their sources at scrape time.

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "service/telemetry/timeline.hpp"

namespace headrace::telemetry {

/// What is known of a request when its answer was written, or could not be. The stages are observed of
/// requests with a 2xx status only; the others are counted, with their time in ModelSums::fail_ns.
struct RequestRecord {
  const Timeline* timeline = nullptr;
  int http_status = 200;
  std::string_view rejection;  // error name when the request was refused before the device ("queue_full"), else empty
  std::uint32_t rows = 0;
};

/// Sums for /v2/models/M/stats; durations in ns, a batch's time counted whole for each of its requests.
struct ModelSums {
  std::uint64_t last_inference_ms = 0;  // since the epoch
  std::uint64_t rows = 0;  // of successful requests
  std::uint64_t batches = 0;
  std::uint64_t success_count = 0, success_ns = 0;  // ns: the total without read and write, which are the client's pace
  std::uint64_t fail_count = 0, fail_ns = 0;
  std::uint64_t queue_ns = 0;  // admit + queue + slot, of successful requests
  std::uint64_t compute_input_ns = 0;  // pack + h2d
  std::uint64_t compute_infer_ns = 0;  // kernel
  std::uint64_t compute_output_ns = 0;  // d2h + scatter
};

/// One model's series; lives as long as its Metrics. Thread-safe and wait-free after a thread's first use.
class ModelMetrics {
 public:
  virtual ~ModelMetrics() = default;
  virtual void record(const RequestRecord& record) noexcept = 0;
  virtual void record_batch(std::uint32_t rows) noexcept = 0;
  virtual ModelSums sums() const = 0;
};

/// What is known of a flight when its notice came.
struct FlightRecord {
  bool copy_engines = false;  // how its rows passed to the device and back; otherwise in place
  bool ok = true;
};

/// One device's counters; lives as long as its Metrics. Thread-safe and wait-free after a thread's first use.
class DeviceMetrics {
 public:
  virtual ~DeviceMetrics() = default;
  virtual void record_flight(const FlightRecord& record) noexcept = 0;
};

/// Values that are read when somebody asks.
struct GaugeSnapshot {
  struct Queue {
    std::string model;
    double depth = 0;
    double capacity = 0;
  };
  struct Slots {
    std::string device;
    double free = 0, filling = 0, in_flight = 0, done = 0;
  };
  struct Device {
    std::string device;  // its label: "cuda:0"
    std::string kind;  // "cuda"
    std::string name;  // "NVIDIA H200"
    bool lost = false;
    double h2d_busy_seconds = 0, kernel_busy_seconds = 0, d2h_busy_seconds = 0;  // since it was opened
    std::uint64_t spurious_notices = 0;
    // What its driver says, where it says it.
    std::optional<double> utilisation_ratio = {};
    std::optional<double> memory_used_bytes = {};
    std::optional<double> memory_total_bytes = {};
    std::optional<double> power_watts = {};
    std::optional<double> temperature_celsius = {};
  };
  std::vector<Queue> queues;
  std::vector<Slots> slots;
  std::vector<Device> devices;
  double inflight_requests = 0;
  double bytes_held = 0;
  double bytes_budget = 0;
  double connections = 0;
  bool ready = false;
};

class Metrics {
 public:
  Metrics();
  ~Metrics();
  Metrics(const Metrics&) = delete;
  Metrics& operator=(const Metrics&) = delete;

  /// The series of that model, all present from the start (stage histograms at 0). The same name gives the
  /// same object. The name is not empty: model "" holds what reached no model.
  ModelMetrics& model(std::string_view name);
  /// The series of that device, likewise.
  DeviceMetrics& device(std::string_view label);
  /// Bytes that the host copied on the request path ("body_prefix", "chunked", "gather", …): one helper
  /// counts them.
  void add_host_copied(std::string_view path, std::uint64_t bytes) noexcept;
  /// Requests that never reached a model: unknown path, parser errors; counted under model "".
  void record_unrouted(int http_status) noexcept;

  /// Called at each scrape, on the scraping thread; replaces the one before. Returns only once no scrape is
  /// inside the one before, so that what it reads may then go; must not be called from a source.
  void set_gauges(std::function<GaugeSnapshot()> source);
  /// Prometheus text format 0.0.4.
  std::string render() const;

 private:
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace headrace::telemetry
