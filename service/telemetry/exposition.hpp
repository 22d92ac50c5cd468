#pragma once
// Numbers → metric families, as a prometheus::Collectable: every metric's name, help text and labels are
// written here. Included by sources of this folder only.

#include <prometheus/collectable.h>
#include <prometheus/metric_family.h>

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "service/telemetry/device_metrics.hpp"
#include "service/telemetry/metrics.hpp"
#include "service/telemetry/model_metrics.hpp"
#include "service/telemetry/process_sample.hpp"

namespace headrace::telemetry {

/// Everything that one scrape shows, read at one time.
struct Scrape {
  using Named = std::pair<std::string, std::uint64_t>;
  struct Model {
    std::string name;
    ModelTotals totals;
  };
  struct Device {
    std::string label;
    DeviceTotals totals;
  };
  std::vector<Model> models;         // by name, each once
  std::vector<Device> devices;       // by label, each once
  std::vector<std::string> reasons;  // by number, as in ModelTotals::rejected
  std::vector<Named> unrouted;       // HTTP status → requests
  std::vector<Named> host_copied;    // path → bytes
  GaugeSnapshot gauges;
  std::optional<ProcessSample> process;
  std::string version;
};

class Exposition final : public prometheus::Collectable {
 public:
  explicit Exposition(Scrape scrape) : scrape_(std::move(scrape)) {}
  std::vector<prometheus::MetricFamily> Collect() const override;

 private:
  void collect_models(std::vector<prometheus::MetricFamily>& families) const;
  void collect_gauges(std::vector<prometheus::MetricFamily>& families) const;
  void collect_flights(std::vector<prometheus::MetricFamily>& families) const;
  void collect_devices(std::vector<prometheus::MetricFamily>& families) const;
  void collect_sensors(std::vector<prometheus::MetricFamily>& families) const;
  void collect_process(std::vector<prometheus::MetricFamily>& families) const;

  Scrape scrape_;
};

/// A status as a label: its three digits, or "other" for what is no HTTP status.
std::string code_label(int http_status);

}  // namespace headrace::telemetry
