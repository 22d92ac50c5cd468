#pragma once
// One model's numbers: recorded in per-thread cells, read as totals.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>

#include "service/telemetry/cells.hpp"
#include "service/telemetry/histogram.hpp"
#include "service/telemetry/label_table.hpp"
#include "service/telemetry/metrics.hpp"
#include "service/telemetry/shards.hpp"

namespace headrace::telemetry {

inline constexpr std::size_t duration_count = stage_count + 1;  // the stages, then the total
inline constexpr std::size_t total_duration = stage_count;

/// HTTP statuses 100 to 599 by number; anything else is counted as 0.
inline constexpr std::size_t code_count = 501;
constexpr std::size_t code_index(int http_status) noexcept {
  return http_status >= 100 && http_status < 600 ? static_cast<std::size_t>(http_status - 99) : 0;
}
constexpr int code_of_index(std::size_t index) noexcept { return index == 0 ? 0 : static_cast<int>(index) + 99; }

struct ModelTotals {
  std::array<HistogramTotals<DurationBuckets>, duration_count> durations{};  // ns, of successful requests
  HistogramTotals<RowBuckets> batch_rows{};
  std::array<std::uint64_t, code_count> codes{};
  std::array<std::uint64_t, LabelTable::size_max> rejected{};  // by number of the reason
  std::uint64_t rows = 0;                                      // of successful requests
  std::uint64_t fail_count = 0;
  std::uint64_t fail_ns = 0;
  std::uint64_t last_success_ns = 0;  // on Clock; 0: never
};

class ModelSeries final : public ModelMetrics {
 public:
  /// `reasons` numbers the rejections of all models and outlives this.
  explicit ModelSeries(LabelTable& reasons) noexcept : reasons_(reasons) {}

  void record(const RequestRecord& record) noexcept override;
  void record_batch(std::uint32_t rows) noexcept override;
  ModelSums sums() const override;

  ModelTotals totals() const;

 private:
  struct alignas(64) Cells {
    std::array<HistogramCells<DurationBuckets>, duration_count> durations;
    HistogramCells<RowBuckets> batch_rows;
    std::array<Cell, code_count> codes;
    std::array<Cell, LabelTable::size_max> rejected;
    Cell rows;
    Cell fail_count;
    Cell fail_ns;
    Cell last_success_ns;

    void record_success(const Timeline& timeline, std::uint32_t request_rows) noexcept;
    void add_to(ModelTotals& totals) const noexcept;
  };

  LabelTable& reasons_;
  Shards<Cells> shards_;
};

}  // namespace headrace::telemetry
