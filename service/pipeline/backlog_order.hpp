#pragma once
// In which order waiting requests leave: levels (lowest number first) → clients (fair shares of rows, by deficit round
// robin) → first in, first out. Pure, not thread-safe; memory for all requests is taken at construction. Requests are
// named by the number of their cell; what they are, the backlog knows.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "service/pipeline/batch_policy.hpp"
#include "service/pipeline/deadline_heap.hpp"
#include "service/telemetry/timeline.hpp"

namespace headrace::pipeline {

/// What the order and the limits need to know of a request.
struct BacklogEntry {
  std::uint32_t rows = 0;
  std::uint64_t bytes = 0;
  std::uint64_t shape = 0;  // key of the row shape; one batch holds one
  std::uint8_t level = 0;  // lower goes first
  std::uint64_t client = 0;  // clients of one level share it
  telemetry::Clock::time_point enqueued{};
  telemetry::Clock::time_point deadline{};  // zero: none
};

struct BacklogOptions {
  std::uint32_t requests_max = 8192;
  std::uint64_t rows_max = UINT64_MAX;  // of all that wait
  std::uint32_t request_rows_max = 4096;  // of one request; a batch holds at least this
  std::uint32_t quantum_rows = 256;  // a client's share a turn
};

/// What is still free in the batch that is being filled.
struct BatchRoom {
  explicit BatchRoom(const BatchLimits& limits) noexcept : rows(limits.rows_max), segments(limits.segments_max) {}
  bool fits(const BacklogEntry& entry) const noexcept {
    return segments > 0 && entry.rows <= rows && (!shape || *shape == entry.shape);
  }
  void add(const BacklogEntry& entry) noexcept {
    rows -= entry.rows;
    --segments;
    shape = entry.shape;
  }

  std::uint32_t rows;
  std::uint32_t segments;
  std::optional<std::uint64_t> shape;
  std::uint32_t passes = 64;  // clients whose first request may be passed over because it does not fit
};

class BacklogOrder {
 public:
  explicit BacklogOrder(const BacklogOptions& options);

  const BacklogOptions& options() const noexcept { return options_; }
  std::size_t size() const noexcept { return size_; }
  std::uint64_t rows() const noexcept { return rows_; }
  std::uint64_t bytes() const noexcept { return bytes_; }
  bool has_room(const BacklogEntry& entry) const noexcept;
  BacklogView view() const noexcept;

  /// Its cell, below requests_max. There must be room, and at most request_rows_max rows (asserted).
  std::uint32_t push(const BacklogEntry& entry);
  /// The cell that is next in turn and fits; nothing when none does. An empty room takes whatever is next.
  /// The cell must be removed before the next call.
  std::optional<std::uint32_t> pick(BatchRoom& room) noexcept;
  /// Its client pays for its rows; before remove(), for one that really goes to the device.
  void charge(std::uint32_t cell) noexcept;
  /// The cell with the earliest deadline, if that is not after `now`.
  std::optional<std::uint32_t> expired(telemetry::Clock::time_point now) const noexcept;
  const BacklogEntry& entry(std::uint32_t cell) const noexcept { return cells_[cell].entry; }
  void remove(std::uint32_t cell) noexcept;

 private:
  static constexpr std::uint32_t none = UINT32_MAX;

  // A doubly linked list of cells or clients by number, its links inside them.
  struct Links {
    std::uint32_t next = none;
    std::uint32_t previous = none;
  };
  struct Ends {
    std::uint32_t first = none;
    std::uint32_t last = none;
  };
  struct Cell {
    BacklogEntry entry;
    std::uint32_t client = none;
    Links of_client;  // in order of arrival; `next` also chains the free cells
    Links arrival;  // of all clients
  };
  struct Client {
    std::uint64_t key = 0;
    std::uint32_t level = 0;  // index into levels_
    std::uint32_t in_bucket = none;  // next with the same hash; also chains the free clients
    std::int64_t deficit = 0;  // rows that it may still take in this turn; below 0 after a loan
    bool turn_begun = false;
    Ends waiting;
    Links turn;  // in the level's round
  };
  struct Level {
    std::uint8_t number = 0;
    Ends round;  // clients with something waiting; the first has the turn
  };

  template <class Item>
  static void append(std::vector<Item>& items, Links Item::* links, Ends& ends, std::uint32_t number) noexcept;
  template <class Item>
  static void unlink(std::vector<Item>& items, Links Item::* links, Ends& ends, std::uint32_t number) noexcept;

  std::uint32_t level_of(std::uint8_t number);
  std::uint32_t client_of(std::uint32_t level, std::uint64_t key);
  void retire(std::uint32_t client) noexcept;
  std::size_t bucket_of(std::uint8_t level, std::uint64_t key) const noexcept;
  const BacklogEntry& head_of(std::uint32_t client) const noexcept;
  bool has_turn(Client& client, bool alone) noexcept;
  std::optional<std::uint32_t> pick_in(Level& level, BatchRoom& room) noexcept;
  void end_turn(Level& level) noexcept;

  BacklogOptions options_;
  std::vector<Cell> cells_;
  std::vector<Client> clients_;
  std::vector<std::uint32_t> buckets_;  // first client by hash
  std::vector<Level> levels_;  // made at a level's first request and kept; few, looked through
  DeadlineHeap deadlines_;
  Ends arrivals_;
  std::uint32_t free_cell_ = none;
  std::uint32_t free_client_ = none;
  std::size_t size_ = 0;
  std::uint64_t rows_ = 0;
  std::uint64_t bytes_ = 0;
};

}  // namespace headrace::pipeline
