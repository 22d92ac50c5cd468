#pragma once
// One set of cells a thread, so that recording never contends; a reader adds them up.
//
// A shard belongs to its set for good and is only lent to a thread: when the thread ends it goes back with
// its numbers and the next new thread goes on counting in it. So nothing is lost or folded, and the number of
// shards is that of the threads that ever recorded at the same time. The set may end before or after the
// threads.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <new>
#include <span>
#include <utility>
#include <vector>

namespace headrace::telemetry {
namespace shards_detail {

/// What a thread gives its shard back to.
class Lender {
 public:
  virtual ~Lender() = default;
  virtual void take_back(void* cells) noexcept = 0;
};

/// A number that no other set of this process has had.
std::size_t next_set_number() noexcept;
/// Notes that this thread writes `cells` for set `number`, until the thread ends. False: the thread is
/// ending, or no memory.
bool keep(std::size_t number, void* cells, std::weak_ptr<Lender> lender) noexcept;

/// This thread's cells by set number; null where it has none. Trivial, so that reading it needs no
/// initialisation guard.
extern constinit thread_local std::span<void* const> lent;

}  // namespace shards_detail

template <class Cells>
class Shards {
 public:
  /// This thread's cells, or null when there is no memory for them. Wait-free but for a thread's first call.
  Cells* mine() noexcept {
    const auto lent = shards_detail::lent;
    if (number_ < lent.size() && lent[number_] != nullptr) return static_cast<Cells*>(lent[number_]);
    return first_use();
  }

  /// Calls visit(const Cells&) for every shard, of living and of ended threads. Any thread.
  template <class Visit>
  void each(Visit visit) const {
    const std::lock_guard lock(pool_->mutex);
    for (const auto& cells : pool_->all) visit(std::as_const(*cells));
  }

  /// Shards made so far.
  std::size_t size() const {
    const std::lock_guard lock(pool_->mutex);
    return pool_->all.size();
  }

 private:
  struct Pool final : shards_detail::Lender {
    mutable std::mutex mutex;
    std::vector<std::unique_ptr<Cells>> all;
    std::vector<Cells*> free;  // its capacity is kept at all.size(), so that giving back never allocates

    Cells* lend() {
      const std::lock_guard lock(mutex);
      if (!free.empty()) {
        Cells* const cells = free.back();
        free.pop_back();
        return cells;
      }
      free.reserve(all.size() + 1);
      all.push_back(std::make_unique<Cells>());
      return all.back().get();
    }
    void take_back(void* cells) noexcept override {
      const std::lock_guard lock(mutex);
      free.push_back(static_cast<Cells*>(cells));
    }
  };

  Cells* first_use() noexcept {
    Cells* cells = nullptr;
    try {
      cells = pool_->lend();
    } catch (const std::bad_alloc&) {
      return nullptr;
    }
    if (shards_detail::keep(number_, cells, pool_)) return cells;
    pool_->take_back(cells);
    return nullptr;
  }

  const std::size_t number_ = shards_detail::next_set_number();
  const std::shared_ptr<Pool> pool_ = std::make_shared<Pool>();
};

}  // namespace headrace::telemetry
