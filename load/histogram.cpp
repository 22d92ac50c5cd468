#include "load/histogram.hpp"

#include <algorithm>

#include "load/log_buckets.hpp"

namespace headrace::load {
namespace {

using Buckets = LogBuckets<10>;

}  // namespace

Histogram::Histogram() : buckets_(Buckets::bucket_of(value_max_ns) + 1) {}

void Histogram::record(std::uint64_t ns) noexcept {
  ++buckets_[Buckets::bucket_of(std::min(ns, value_max_ns))];
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
  return Buckets::quantile_of(quantile, buckets_, count_, max_ns_);
}

}  // namespace headrace::load
