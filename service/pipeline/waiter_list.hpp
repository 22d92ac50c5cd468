#pragma once
// Suspended operations of a channel: each owned jointly by the list it waits in and, for a moment, by whoever completes
// or cancels it, so that none of them can touch a dead one. The channel's mutex guards lists and links; nothing here
// locks.

#include <cassert>
#include <memory>
#include <utility>

namespace headrace::pipeline {

class WaiterList;
class WokenChain;

class Waiter {
 public:
  Waiter() = default;
  Waiter(const Waiter&) = delete;
  Waiter& operator=(const Waiter&) = delete;
  virtual ~Waiter() = default;

  /// Records the outcome "cancelled"; under the mutex, when the waiter has just been unlinked.
  virtual void set_cancelled() noexcept = 0;
  /// Queues the completion on the operation's own executor. Outside the mutex; the waiter is in no list.
  virtual void post(std::shared_ptr<Waiter> self) noexcept = 0;

  /// The list that it waits in; nothing once somebody decided its outcome.
  WaiterList* list() const noexcept { return list_; }

 private:
  friend class WaiterList;
  friend class WokenChain;
  std::shared_ptr<Waiter> next_;
  Waiter* previous_ = nullptr;
  WaiterList* list_ = nullptr;
};

/// First in, first out; every operation is O(1) and allocates nothing.
class WaiterList {
 public:
  WaiterList() = default;
  ~WaiterList() {
    while (!empty()) pop_front();  // one by one: a chain of owners would be freed by recursion
  }
  WaiterList(const WaiterList&) = delete;
  WaiterList& operator=(const WaiterList&) = delete;

  bool empty() const noexcept { return head_ == nullptr; }
  Waiter* front() const noexcept { return head_.get(); }

  void push_back(std::shared_ptr<Waiter> waiter) noexcept {
    assert(waiter->list_ == nullptr);
    waiter->list_ = this;
    waiter->previous_ = tail_;
    Waiter* const last = std::exchange(tail_, waiter.get());
    (last == nullptr ? head_ : last->next_) = std::move(waiter);
  }
  void push_front(std::shared_ptr<Waiter> waiter) noexcept {
    assert(waiter->list_ == nullptr);
    waiter->list_ = this;
    (head_ == nullptr ? tail_ : head_->previous_) = waiter.get();
    waiter->next_ = std::move(head_);
    head_ = std::move(waiter);
  }
  /// Unlinks it and hands over the list's ownership.
  std::shared_ptr<Waiter> erase(Waiter& waiter) noexcept {
    assert(waiter.list_ == this);
    std::shared_ptr<Waiter>& link = waiter.previous_ == nullptr ? head_ : waiter.previous_->next_;
    std::shared_ptr<Waiter> owner = std::move(link);
    link = std::move(waiter.next_);
    (link == nullptr ? tail_ : link->previous_) = waiter.previous_;
    waiter.previous_ = nullptr;
    waiter.list_ = nullptr;
    return owner;
  }
  std::shared_ptr<Waiter> pop_front() noexcept { return erase(*head_); }

 private:
  std::shared_ptr<Waiter> head_;
  Waiter* tail_ = nullptr;
};

/// Waiters whose outcome is decided, on their way out of the mutex. They are in no list: a cancellation that comes now
/// sees that it came too late.
class WokenChain {
 public:
  WokenChain() = default;
  ~WokenChain() { assert(head_ == nullptr); }
  WokenChain(const WokenChain&) = delete;
  WokenChain& operator=(const WokenChain&) = delete;

  void push_back(std::shared_ptr<Waiter> waiter) noexcept {
    assert(waiter->list_ == nullptr);
    Waiter* const last = std::exchange(tail_, waiter.get());
    (last == nullptr ? head_ : last->next_) = std::move(waiter);
  }
  /// Posts all, first to last; outside the mutex.
  void post_all() noexcept {
    while (head_ != nullptr) {
      std::shared_ptr<Waiter> waiter = std::move(head_);
      head_ = std::move(waiter->next_);
      Waiter& first = *waiter;
      first.post(std::move(waiter));
    }
    tail_ = nullptr;
  }

 private:
  std::shared_ptr<Waiter> head_;
  Waiter* tail_ = nullptr;
};

}  // namespace headrace::pipeline
