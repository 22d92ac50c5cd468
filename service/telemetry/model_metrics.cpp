#include "service/telemetry/model_metrics.hpp"

#include <algorithm>

namespace headrace::telemetry {
namespace {

std::uint64_t ns_of(std::chrono::nanoseconds duration) noexcept {
  return duration.count() > 0 ? static_cast<std::uint64_t>(duration.count()) : 0;
}

/// The request's time in our hands, without the client's pace at either end.
std::uint64_t served_ns(const Timeline& timeline) noexcept {
  return ns_of(timeline.total() - timeline.of(Stage::read) - timeline.of(Stage::write));
}

std::uint64_t sum_of(const ModelTotals& totals, std::initializer_list<Stage> stages) noexcept {
  std::uint64_t sum = 0;
  for (const auto stage : stages) sum += totals.durations[static_cast<std::size_t>(stage)].sum;
  return sum;
}

/// A steady time as milliseconds since the epoch, by the clocks as they stand now.
std::uint64_t epoch_ms(std::uint64_t steady_ns) {
  if (steady_ns == 0) return 0;
  const auto ago = Clock::now().time_since_epoch() - std::chrono::nanoseconds(steady_ns);
  const auto then = std::chrono::system_clock::now().time_since_epoch() - ago;
  return ns_of(then) / 1'000'000;
}

}  // namespace

void ModelSeries::record(const RequestRecord& record) noexcept {
  Cells* const cells = shards_.mine();
  if (cells == nullptr) return;
  cells->codes[code_index(record.http_status)].add(1);
  if (!record.rejection.empty()) cells->rejected[reasons_.number(record.rejection)].add(1);
  if (record.http_status < 200 || record.http_status > 299) {
    cells->fail_count.add(1);
    if (record.timeline != nullptr) cells->fail_ns.add(served_ns(*record.timeline));
  } else if (record.timeline != nullptr) {
    cells->record_success(*record.timeline, record.rows);
  }
}

void ModelSeries::Cells::record_success(const Timeline& timeline, std::uint32_t request_rows) noexcept {
  for (std::size_t i = 0; i < stage_count; ++i) durations[i].observe(ns_of(timeline.of(static_cast<Stage>(i))));
  durations[total_duration].observe(ns_of(timeline.total()));
  rows.add(request_rows);
  last_success_ns.set(std::max(last_success_ns.get(), ns_of(timeline.last().time_since_epoch())));
}

void ModelSeries::record_batch(std::uint32_t rows) noexcept {
  if (Cells* const cells = shards_.mine()) cells->batch_rows.observe(rows);
}

void ModelSeries::Cells::add_to(ModelTotals& totals) const noexcept {
  for (std::size_t i = 0; i < duration_count; ++i) durations[i].add_to(totals.durations[i]);
  batch_rows.add_to(totals.batch_rows);
  for (std::size_t i = 0; i < code_count; ++i) totals.codes[i] += codes[i].get();
  for (std::size_t i = 0; i < rejected.size(); ++i) totals.rejected[i] += rejected[i].get();
  totals.rows += rows.get();
  totals.fail_count += fail_count.get();
  totals.fail_ns += fail_ns.get();
  totals.last_success_ns = std::max(totals.last_success_ns, last_success_ns.get());
}

ModelTotals ModelSeries::totals() const {
  ModelTotals totals;
  shards_.each([&totals](const Cells& cells) { cells.add_to(totals); });
  return totals;
}

ModelSums ModelSeries::sums() const {
  const ModelTotals totals = this->totals();
  ModelSums sums;
  sums.last_inference_ms = epoch_ms(totals.last_success_ns);
  sums.rows = totals.rows;
  sums.batches = totals.batch_rows.count();
  sums.success_count = totals.durations[total_duration].count();
  // The stages that were served, added up: the total and they are not read at one instant.
  sums.queue_ns = sum_of(totals, {Stage::admit, Stage::queue, Stage::slot});
  sums.compute_input_ns = sum_of(totals, {Stage::pack, Stage::h2d});
  sums.compute_infer_ns = sum_of(totals, {Stage::kernel});
  sums.compute_output_ns = sum_of(totals, {Stage::d2h, Stage::scatter});
  sums.success_ns = sum_of(totals, {Stage::decode, Stage::encode}) + sums.queue_ns + sums.compute_input_ns +
                    sums.compute_infer_ns + sums.compute_output_ns;
  sums.fail_count = totals.fail_count;
  sums.fail_ns = totals.fail_ns;
  return sums;
}

}  // namespace headrace::telemetry
