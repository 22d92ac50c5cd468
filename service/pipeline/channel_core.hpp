#pragma once
// What a channel shares with its suspended operations: the mutex, the store and who waits. Contract in channel.hpp.
//
// Whenever the mutex is free:
//   a receiver waits  → the store is empty, and the channel is open
//   a watcher waits   → the store is empty, and the channel is open
//   a sender waits    → the store has no room for the first sender's item, and the channel is open
// So senders and receivers never wait at the same time.

#include <atomic>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <tuple>
#include <utility>

#include "service/pipeline/adaptive_mutex.hpp"
#include "service/pipeline/waiter_list.hpp"

namespace headrace::pipeline {

enum class PushStatus : std::uint8_t { ok, full, closed, cancelled };
enum class PopStatus : std::uint8_t { ok, closed, cancelled };

template <class T, class Store>
class ChannelCore {
 public:
  class Sender : public Waiter {
   public:
    explicit Sender(T&& item) : item_(std::move(item)) {}
    void set_cancelled() noexcept final { status_ = PushStatus::cancelled; }

   protected:
    friend class ChannelCore;
    bool settle(const std::shared_ptr<Waiter>&) noexcept { return true; }
    std::tuple<PushStatus, std::optional<T>> outcome() noexcept { return {status_, std::move(item_)}; }

    std::optional<T> item_;
    PushStatus status_ = PushStatus::ok;
  };

  class Receiver : public Waiter {
   public:
    void set_cancelled() noexcept final { status_ = PopStatus::cancelled; }

   protected:
    friend class ChannelCore;
    bool settle(const std::shared_ptr<Waiter>&) noexcept { return true; }
    std::tuple<PopStatus, std::optional<T>> outcome() noexcept { return {status_, std::move(item_)}; }

    std::optional<T> item_;
    PopStatus status_ = PopStatus::ok;
  };

  /// Woken when there is something to see, it looks again on its own executor.
  class Watcher : public Waiter {
   public:
    explicit Watcher(std::shared_ptr<ChannelCore> core) : core_(std::move(core)) {}
    void set_cancelled() noexcept final { cancelled_ = true; }

   protected:
    friend class ChannelCore;
    bool settle(const std::shared_ptr<Waiter>& self) { return core_->look_again(*this, self); }
    std::tuple<PopStatus> outcome() noexcept { return {status_}; }

    std::shared_ptr<ChannelCore> core_;
    PopStatus status_ = PopStatus::ok;
    bool cancelled_ = false;
  };

  template <class Options>
  explicit ChannelCore(const Options& options) : store_(options), size_(store_.size()) {}

  PushStatus try_push(T& item) {
    Section section(*this);
    if (closed_) return PushStatus::closed;
    if (!senders_.empty() || !store_.has_room(std::as_const(item))) return PushStatus::full;
    store_.push(std::move(item));
    return PushStatus::ok;
  }

  std::optional<T> try_pop() {
    Section section(*this);
    if (store_.empty()) return std::nullopt;
    return std::optional<T>(store_.pop());
  }

  // The three below queue the operation and let the section's end decide whether it completes at once.
  void push(std::shared_ptr<Waiter> sender) {
    Section section(*this);
    senders_.push_back(std::move(sender));
  }
  void pop(std::shared_ptr<Waiter> receiver) {
    Section section(*this);
    receivers_.push_back(std::move(receiver));
  }
  void wait_ready(std::shared_ptr<Waiter> watcher) {
    Section section(*this);
    watchers_.push_back(std::move(watcher));
  }

  template <class F>
  decltype(auto) with_store(F&& f) {
    Section section(*this);
    return std::forward<F>(f)(store_);
  }

  /// The first of cancellation and completion to reach the mutex wins.
  void cancel(Waiter& waiter) {
    Section section(*this);
    if (WaiterList* const list = waiter.list()) {
      waiter.set_cancelled();
      section.wake(list->erase(waiter));
    } else if (auto* const watcher = dynamic_cast<Watcher*>(&waiter)) {
      watcher->set_cancelled();  // woken, but it may yet have to wait again
    }
  }

  void close() {
    Section section(*this);
    closed_ = true;
  }

  void shut_down() {
    close();
    while (try_pop()) {  // outside the mutex, where an item's destructor may do what it likes
    }
  }

  bool closed() {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  std::size_t size() const noexcept { return size_.load(std::memory_order_acquire); }

 private:
  // One hold of the mutex. At its end everything that became possible happens, and who it happened to is told after the
  // mutex is free.
  class Section {
   public:
    explicit Section(ChannelCore& core) : core_(core), lock_(core.mutex_) {}
    ~Section() {
      if (core_.anyone_waits()) core_.settle(woken_);
      const std::size_t size = core_.store_.size();
      if (core_.size_.load(std::memory_order_relaxed) != size) core_.size_.store(size, std::memory_order_release);
      lock_.unlock();
      woken_.post_all();
    }
    Section(const Section&) = delete;
    Section& operator=(const Section&) = delete;
    void wake(std::shared_ptr<Waiter> waiter) { woken_.push_back(std::move(waiter)); }

   private:
    ChannelCore& core_;
    WokenChain woken_;
    std::unique_lock<AdaptiveMutex> lock_;
  };

  bool anyone_waits() const noexcept { return !senders_.empty() || !receivers_.empty() || !watchers_.empty(); }

  void settle(WokenChain& woken) {
    admit_senders(woken);
    serve_receivers(woken);
    if (closed_) {
      while (!senders_.empty()) {
        static_cast<Sender*>(senders_.front())->status_ = PushStatus::closed;
        woken.push_back(senders_.pop_front());
      }
      while (!receivers_.empty()) {
        static_cast<Receiver*>(receivers_.front())->status_ = PopStatus::closed;
        woken.push_back(receivers_.pop_front());
      }
    }
    if (closed_ || !store_.empty()) {
      while (!watchers_.empty()) woken.push_back(watchers_.pop_front());
    }
  }

  void admit_senders(WokenChain& woken) {
    while (!closed_ && !senders_.empty()) {
      auto* const sender = static_cast<Sender*>(senders_.front());
      if (!store_.has_room(std::as_const(*sender->item_))) return;
      store_.push(std::move(*sender->item_));
      sender->item_.reset();
      woken.push_back(senders_.pop_front());
    }
  }

  void serve_receivers(WokenChain& woken) {
    while (!receivers_.empty() && !store_.empty()) {
      static_cast<Receiver*>(receivers_.front())->item_.emplace(store_.pop());
      woken.push_back(receivers_.pop_front());
    }
  }

  bool look_again(Watcher& watcher, const std::shared_ptr<Waiter>& self) {
    const std::lock_guard lock(mutex_);
    if (!store_.empty()) {
      watcher.status_ = PopStatus::ok;
    } else if (closed_) {
      watcher.status_ = PopStatus::closed;
    } else if (watcher.cancelled_) {
      watcher.status_ = PopStatus::cancelled;
    } else {
      watchers_.push_front(self);
      return false;
    }
    return true;
  }

  alignas(64) AdaptiveMutex mutex_;
  Store store_;
  WaiterList senders_;
  WaiterList receivers_;
  WaiterList watchers_;
  bool closed_ = false;
  alignas(64) std::atomic<std::size_t> size_;  // the store's, for who looks without the mutex
};

}  // namespace headrace::pipeline
