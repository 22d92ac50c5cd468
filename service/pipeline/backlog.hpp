#pragma once
// What waits for a batch: bounded in requests and rows, many taken at a time. The store behind a model's channel:
// Channel<BacklogItem<T>, Backlog<T>>. Pure, not thread-safe; its memory is taken at construction.
//
// T is a handle to the request. Order and limits are BacklogOrder's.

#include <cassert>
#include <concepts>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "service/pipeline/backlog_order.hpp"

namespace headrace::pipeline {

template <class T>
struct BacklogItem {
  T request;
  BacklogEntry entry;
};

template <class T>
class Backlog {
 public:
  using Item = BacklogItem<T>;

  explicit Backlog(const BacklogOptions& options) : order_(options), requests_(options.requests_max) {}

  std::size_t size() const noexcept { return order_.size(); }
  bool empty() const noexcept { return order_.size() == 0; }
  std::uint64_t rows() const noexcept { return order_.rows(); }
  std::uint64_t bytes() const noexcept { return order_.bytes(); }
  const BacklogOptions& options() const noexcept { return order_.options(); }
  /// For the batch policy. Requests that were left but not yet dropped still count.
  BacklogView view() const noexcept { return order_.view(); }

  bool has_room(const Item& item) const noexcept { return order_.has_room(item.entry); }
  /// There must be room (asserted). A request of more than request_rows_max rows must not come here (asserted).
  void push(Item&& item) {
    const std::uint32_t cell = order_.push(item.entry);
    requests_[cell].emplace(std::move(item.request));
  }
  /// The next in turn. There must be one (asserted).
  Item pop() {
    BatchRoom room({.rows_max = UINT32_MAX, .segments_max = 1});
    const auto cell = order_.pick(room);
    assert(cell);
    order_.charge(*cell);
    return remove(*cell);
  }

  /// Fills one batch: appends to `taken` requests of one row shape, in order, within `limits` (rows_max is at least
  /// request_rows_max, asserted). `claim(T&)` says whether a request is still to be had; one that is not goes to
  /// `dropped` and takes no place.
  template <std::predicate<T&> Claim>
  void take(const BatchLimits& limits, Claim&& claim, std::vector<Item>& taken, std::vector<Item>& dropped) {
    assert(limits.rows_max >= order_.options().request_rows_max);
    BatchRoom room(limits);
    while (room.segments > 0) {
      const auto cell = order_.pick(room);
      if (!cell) return;
      const bool claimed = claim(*requests_[*cell]);
      if (claimed) {
        room.add(order_.entry(*cell));
        order_.charge(*cell);
      }
      (claimed ? taken : dropped).push_back(remove(*cell));
    }
  }

  /// Appends to `expired` those whose deadline is not after `now`, earliest first; costs what expired, not what waits.
  /// `claim` and `dropped` as above.
  template <std::predicate<T&> Claim>
  void expire(telemetry::Clock::time_point now, Claim&& claim, std::vector<Item>& expired, std::vector<Item>& dropped) {
    while (const auto cell = order_.expired(now)) {
      const bool claimed = claim(*requests_[*cell]);
      (claimed ? expired : dropped).push_back(remove(*cell));
    }
  }

 private:
  Item remove(std::uint32_t cell) {
    Item item{std::move(*requests_[cell]), order_.entry(cell)};
    requests_[cell].reset();
    order_.remove(cell);
    return item;
  }

  BacklogOrder order_;
  std::vector<std::optional<T>> requests_;  // by cell
};

}  // namespace headrace::pipeline
