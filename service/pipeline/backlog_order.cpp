#include "service/pipeline/backlog_order.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

namespace headrace::pipeline {

template <class Item>
void BacklogOrder::append(std::vector<Item>& items, Links Item::* links, Ends& ends, std::uint32_t number) noexcept {
  items[number].*links = {none, ends.last};
  (ends.last == none ? ends.first : (items[ends.last].*links).next) = number;
  ends.last = number;
}

template <class Item>
void BacklogOrder::unlink(std::vector<Item>& items, Links Item::* links, Ends& ends, std::uint32_t number) noexcept {
  const Links own = items[number].*links;
  (own.previous == none ? ends.first : (items[own.previous].*links).next) = own.next;
  (own.next == none ? ends.last : (items[own.next].*links).previous) = own.previous;
}

BacklogOrder::BacklogOrder(const BacklogOptions& options)
    : options_(options),
      cells_(options.requests_max),
      buckets_(std::bit_ceil(std::size_t{options.requests_max} + 1), none),
      deadlines_(options.requests_max) {
  assert(options.requests_max > 0 && options.requests_max < none && options.quantum_rows > 0);
  assert(options.request_rows_max <= options.rows_max && "a request must fit into the empty backlog");
  for (std::uint32_t cell = options.requests_max; cell-- > 0;) {
    cells_[cell].of_client.next = free_cell_;
    free_cell_ = cell;
  }
}

bool BacklogOrder::has_room(const BacklogEntry& entry) const noexcept {
  return free_cell_ != none && entry.rows <= options_.rows_max - rows_;
}

BacklogView BacklogOrder::view() const noexcept {
  BacklogView view{.requests = size_, .rows = rows_};
  if (arrivals_.first != none) view.oldest = cells_[arrivals_.first].entry.enqueued;
  if (!deadlines_.empty()) view.deadline = deadlines_.first_deadline();
  return view;
}

std::uint32_t BacklogOrder::push(const BacklogEntry& entry) {
  assert(has_room(entry));
  assert(entry.rows <= options_.request_rows_max && "admission refuses what no batch can hold");
  const std::uint32_t client = client_of(level_of(entry.level), entry.client);
  const std::uint32_t cell = free_cell_;
  free_cell_ = cells_[cell].of_client.next;
  cells_[cell].entry = entry;
  cells_[cell].client = client;
  append(cells_, &Cell::of_client, clients_[client].waiting, cell);
  append(cells_, &Cell::arrival, arrivals_, cell);
  if (entry.deadline != telemetry::Clock::time_point{}) deadlines_.push(cell, entry.deadline);
  ++size_;
  rows_ += entry.rows;
  bytes_ += entry.bytes;
  return cell;
}

void BacklogOrder::remove(std::uint32_t cell) noexcept {
  const BacklogEntry& entry = cells_[cell].entry;
  --size_;
  rows_ -= entry.rows;
  bytes_ -= entry.bytes;
  deadlines_.erase(cell);
  unlink(cells_, &Cell::arrival, arrivals_, cell);
  const std::uint32_t client = cells_[cell].client;
  unlink(cells_, &Cell::of_client, clients_[client].waiting, cell);
  cells_[cell].client = none;
  cells_[cell].of_client.next = free_cell_;
  free_cell_ = cell;
  if (clients_[client].waiting.first == none) retire(client);
}

std::optional<std::uint32_t> BacklogOrder::expired(telemetry::Clock::time_point now) const noexcept {
  if (deadlines_.empty() || deadlines_.first_deadline() > now) return std::nullopt;
  return deadlines_.first();
}

std::optional<std::uint32_t> BacklogOrder::pick(BatchRoom& room) noexcept {
  for (Level& level : levels_) {
    if (const auto cell = pick_in(level, room)) return cell;
  }
  return std::nullopt;
}

std::optional<std::uint32_t> BacklogOrder::pick_in(Level& level, BatchRoom& room) noexcept {
  Ends& round = level.round;
  if (round.first == none) return std::nullopt;
  while (!has_turn(clients_[round.first], round.first == round.last)) end_turn(level);
  if (room.fits(head_of(round.first))) return clients_[round.first].waiting.first;
  // It keeps its turn for the next batch. Others may fill what is left of this one, on loan.
  for (auto client = clients_[round.first].turn.next; client != none; client = clients_[client].turn.next) {
    if (room.passes == 0) return std::nullopt;
    --room.passes;
    if (room.fits(head_of(client))) return clients_[client].waiting.first;
  }
  return std::nullopt;
}

const BacklogEntry& BacklogOrder::head_of(std::uint32_t client) const noexcept {
  return cells_[clients_[client].waiting.first].entry;
}

bool BacklogOrder::has_turn(Client& client, bool alone) noexcept {
  if (alone) return true;
  if (!client.turn_begun) {
    client.turn_begun = true;
    client.deficit += options_.quantum_rows;
  }
  return client.deficit >= std::int64_t{cells_[client.waiting.first].entry.rows};
}

void BacklogOrder::end_turn(Level& level) noexcept {
  const std::uint32_t client = level.round.first;
  clients_[client].turn_begun = false;
  unlink(clients_, &Client::turn, level.round, client);
  append(clients_, &Client::turn, level.round, client);
}

void BacklogOrder::charge(std::uint32_t cell) noexcept {
  Client& client = clients_[cells_[cell].client];
  const Ends& round = levels_[client.level].round;
  // What a client takes while nobody else waits is not held against it later.
  client.deficit = round.first == round.last ? 0 : client.deficit - cells_[cell].entry.rows;
}

std::uint32_t BacklogOrder::level_of(std::uint8_t number) {
  const auto found = std::lower_bound(levels_.begin(), levels_.end(), number,
                                      [](const Level& level, std::uint8_t wanted) { return level.number < wanted; });
  const auto index = static_cast<std::uint32_t>(found - levels_.begin());
  if (found == levels_.end() || found->number != number) {
    for (Client& client : clients_) client.level += client.level >= index ? 1 : 0;
    levels_.insert(found, Level{.number = number, .round = {}});
  }
  return index;
}

std::size_t BacklogOrder::bucket_of(std::uint8_t level, std::uint64_t key) const noexcept {
  std::uint64_t hash = (key ^ (std::uint64_t{level} << 56)) * 0x9E3779B97F4A7C15u;
  hash ^= hash >> 32;
  return static_cast<std::size_t>(hash) & (buckets_.size() - 1);
}

std::uint32_t BacklogOrder::client_of(std::uint32_t level, std::uint64_t key) {
  std::uint32_t& bucket = buckets_[bucket_of(levels_[level].number, key)];
  for (std::uint32_t client = bucket; client != none; client = clients_[client].in_bucket) {
    if (clients_[client].key == key && clients_[client].level == level) return client;
  }
  std::uint32_t client = free_client_;
  if (client == none) {
    client = static_cast<std::uint32_t>(clients_.size());
    clients_.emplace_back();
  } else {
    free_client_ = clients_[client].in_bucket;
    clients_[client] = {};
  }
  clients_[client].key = key;
  clients_[client].level = level;
  clients_[client].in_bucket = bucket;
  bucket = client;
  append(clients_, &Client::turn, levels_[level].round, client);
  return client;
}

void BacklogOrder::retire(std::uint32_t client) noexcept {
  Client& leaving = clients_[client];
  Level& level = levels_[leaving.level];
  unlink(clients_, &Client::turn, level.round, client);
  std::uint32_t* link = &buckets_[bucket_of(level.number, leaving.key)];
  while (*link != client) link = &clients_[*link].in_bucket;
  *link = leaving.in_bucket;
  leaving.in_bucket = free_client_;
  free_client_ = client;
}

}  // namespace headrace::pipeline
