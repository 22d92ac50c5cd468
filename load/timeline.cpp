#include "load/timeline.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <utility>

namespace headrace::load {
namespace {

constexpr std::uint64_t exact_values = 64;
constexpr std::uint64_t buckets_per_doubling = 32;

std::uint64_t last_value_of(std::size_t bucket) noexcept {
  if (bucket < exact_values) return bucket;
  const std::uint64_t doubling = (bucket - exact_values) / buckets_per_doubling + 1;
  const std::uint64_t step = (bucket - exact_values) % buckets_per_doubling + buckets_per_doubling;
  return ((step + 1) << doubling) - 1;
}

}  // namespace

std::size_t Timeline::Slice::bucket_of(std::uint64_t ns) noexcept {
  if (ns < exact_values) return ns;
  const auto doubling = static_cast<std::uint64_t>(std::bit_width(ns)) - 6;
  const std::uint64_t bucket =
      exact_values + (doubling - 1) * buckets_per_doubling + (ns >> doubling) - buckets_per_doubling;
  return std::min<std::uint64_t>(bucket, buckets - 1);
}

void Timeline::Slice::record(std::uint64_t ns) noexcept {
  ++counts_[bucket_of(ns)];
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
  assert(quantile >= 0 && quantile <= 1);
  if (count_ == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(count_)));
  const std::uint64_t rank = std::clamp<std::uint64_t>(wanted, 1, count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    seen += counts_[i];
    if (seen >= rank) return std::min(last_value_of(i), max_ns_);
  }
  return max_ns_;
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
