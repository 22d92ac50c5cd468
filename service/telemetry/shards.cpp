#include "service/telemetry/shards.hpp"

namespace headrace::telemetry::shards_detail {

constinit thread_local std::span<void* const> lent;

namespace {

constinit thread_local bool thread_ending = false;

struct Lease {
  void* cells;
  std::weak_ptr<Lender> lender;
};

/// What this thread has borrowed; its end gives everything back.
class Leases {
 public:
  Leases() = default;
  Leases(const Leases&) = delete;
  Leases& operator=(const Leases&) = delete;
  ~Leases() {
    thread_ending = true;
    lent = {};
    for (const auto& lease : leases_) {
      if (const auto lender = lease.lender.lock()) lender->take_back(lease.cells);
    }
  }

  void keep(std::size_t number, void* cells, std::weak_ptr<Lender> lender) {
    std::erase_if(leases_, [](const Lease& lease) { return lease.lender.expired(); });
    leases_.reserve(leases_.size() + 1);
    if (number >= by_number_.size()) by_number_.resize(number + 1, nullptr);
    lent = by_number_;
    by_number_[number] = cells;
    leases_.push_back({cells, std::move(lender)});
  }

 private:
  std::vector<Lease> leases_;
  std::vector<void*> by_number_;
};

}  // namespace

std::size_t next_set_number() noexcept {
  static std::atomic<std::size_t> next{0};
  return next.fetch_add(1, std::memory_order_relaxed);
}

bool keep(std::size_t number, void* cells, std::weak_ptr<Lender> lender) noexcept {
  if (thread_ending) return false;
  try {
    thread_local Leases leases;
    leases.keep(number, cells, std::move(lender));
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

}  // namespace headrace::telemetry::shards_detail
