#include "load/timeline.hpp"

#include <algorithm>
#include <utility>

#include "load/log_buckets.hpp"

namespace headrace::load {
namespace {

using Buckets = LogBuckets<5>;

}  // namespace

void Timeline::Slice::record(std::uint64_t ns) noexcept {
  ++counts_[std::min(Buckets::bucket_of(ns), buckets - 1)];
  ++count_;
  max_ns_ = std::max(max_ns_, ns);
}

void Timeline::Slice::merge(const Slice& other) noexcept {
  succeeded += other.succeeded;
  errors += other.errors;
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  count_ += other.count_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
}

std::uint64_t Timeline::Slice::quantile_ns(double quantile) const noexcept {
  return Buckets::quantile_of(quantile, counts_, count_, max_ns_);
}

void Timeline::start(TimePoint from) {
  from_ = from;
  slices_.reserve(slices_max);
}

void Timeline::add_success(TimePoint ended, std::uint64_t latency_ns) {
  Slice& slice = at(ended);
  ++slice.succeeded;
  slice.record(latency_ns);
}

void Timeline::add_error(TimePoint ended) { ++at(ended).errors; }

void Timeline::add_timeout(TimePoint ended, std::uint64_t latency_ns) {
  Slice& slice = at(ended);
  ++slice.errors;
  slice.record(latency_ns);
}

void Timeline::merge(const Timeline& other) {
  Timeline aligned = other;
  coarsen_to(other.length_);
  aligned.coarsen_to(length_);
  if (slices_.size() < aligned.slices_.size()) slices_.resize(aligned.slices_.size());
  for (std::size_t i = 0; i < aligned.slices_.size(); ++i) slices_[i].merge(aligned.slices_[i]);
}

void Timeline::append(const Timeline& later) {
  Timeline aligned = later;
  coarsen_to(later.length_);
  aligned.coarsen_to(length_);
  slices_.insert(slices_.end(), aligned.slices_.begin(), aligned.slices_.end());
  while (slices_.size() > slices_max) coarsen();
}

Timeline::Slice& Timeline::at(TimePoint ended) {
  const Duration after = std::max(ended - from_, Duration::zero());
  while (after / length_ >= static_cast<std::int64_t>(slices_max)) coarsen();
  const auto index = static_cast<std::size_t>(after / length_);
  if (index >= slices_.size()) slices_.resize(index + 1);
  return slices_[index];
}

void Timeline::coarsen() {
  for (std::size_t i = 0; 2 * i < slices_.size(); ++i) {
    if (i != 0) slices_[i] = std::move(slices_[2 * i]);
    if (2 * i + 1 < slices_.size()) slices_[i].merge(slices_[2 * i + 1]);
  }
  slices_.resize((slices_.size() + 1) / 2);
  length_ *= 2;
}

void Timeline::coarsen_to(Duration length) {
  while (length_ < length) coarsen();
}

}  // namespace headrace::load
