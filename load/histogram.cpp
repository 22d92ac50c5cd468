#include "load/histogram.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>

namespace headrace::load {
namespace {

constexpr std::uint64_t exact_values = 2048;
constexpr std::uint64_t buckets_per_doubling = 1024;

std::size_t bucket_of(std::uint64_t ns) noexcept {
  if (ns < exact_values) return ns;
  const auto doubling = static_cast<std::uint64_t>(std::bit_width(ns)) - 11;
  return exact_values + (doubling - 1) * buckets_per_doubling + (ns >> doubling) - buckets_per_doubling;
}

std::uint64_t last_value_of(std::size_t bucket) noexcept {
  if (bucket < exact_values) return bucket;
  const std::uint64_t doubling = (bucket - exact_values) / buckets_per_doubling + 1;
  const std::uint64_t step = (bucket - exact_values) % buckets_per_doubling + buckets_per_doubling;
  return ((step + 1) << doubling) - 1;
}

}  // namespace

Histogram::Histogram() : buckets_(bucket_of(value_max_ns) + 1) {}

void Histogram::record(std::uint64_t ns) noexcept {
  ++buckets_[bucket_of(std::min(ns, value_max_ns))];
  ++count_;
  max_ns_ = std::max(max_ns_, ns);
  sum_ns_ += static_cast<double>(ns);
}

void Histogram::merge(const Histogram& other) noexcept {
  for (std::size_t i = 0; i < buckets_.size(); ++i) buckets_[i] += other.buckets_[i];
  count_ += other.count_;
  max_ns_ = std::max(max_ns_, other.max_ns_);
  sum_ns_ += other.sum_ns_;
}

double Histogram::mean_ns() const noexcept { return count_ == 0 ? 0.0 : sum_ns_ / static_cast<double>(count_); }

std::uint64_t Histogram::quantile_ns(double quantile) const noexcept {
  assert(quantile >= 0 && quantile <= 1);
  if (count_ == 0) return 0;
  const auto wanted = static_cast<std::uint64_t>(std::ceil(quantile * static_cast<double>(count_)));
  const std::uint64_t rank = std::clamp<std::uint64_t>(wanted, 1, count_);
  if (rank == count_) return max_ns_;
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    seen += buckets_[i];
    if (seen >= rank) return std::min(last_value_of(i), max_ns_);
  }
  return max_ns_;
}

}  // namespace headrace::load
