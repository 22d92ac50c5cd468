#pragma once
// An operation that waits: its handler, the work that keeps the handler's executor busy, and the way back to it. `Kind`
// is a Waiter with
//   bool settle(const std::shared_ptr<Waiter>& self)   on the executor; false: it waits again
//   auto outcome()                                     the handler's arguments, as a tuple
// Memory comes from the handler's associated allocator, or from Asio's per-thread cache where that is the standard one.

#include <boost/asio/associated_allocator.hpp>
#include <boost/asio/associated_cancellation_slot.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/cancellation_type.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/recycling_allocator.hpp>
#include <memory>
#include <tuple>
#include <type_traits>
#include <utility>

#include "service/pipeline/waiter_list.hpp"

namespace headrace::pipeline {

template <class Kind, class Handler>
class Suspended final : public Kind {
 public:
  template <class... Args>
  explicit Suspended(Handler handler, Args&&... args)
      : Kind(std::forward<Args>(args)...),
        work_(boost::asio::get_associated_executor(handler)),
        handler_(std::move(handler)) {}

  void post(std::shared_ptr<Waiter> self) noexcept override {
    // After the post another thread may destroy this: nothing here may be touched then.
    const auto executor = work_.get_executor();
    boost::asio::post(executor, [held = std::static_pointer_cast<Suspended>(std::move(self))]() mutable {
      complete(std::move(held));
    });
  }

  auto cancellation_slot() const noexcept { return boost::asio::get_associated_cancellation_slot(handler_); }

 private:
  static void complete(std::shared_ptr<Suspended> self) {
    if (!self->settle(self)) return;
    // A signal that comes later must find nothing, and the handler must find the memory free.
    auto slot = self->cancellation_slot();
    if (slot.is_connected()) slot.clear();
    const auto work = std::move(self->work_);
    Handler handler = std::move(self->handler_);
    auto outcome = self->outcome();
    self.reset();
    std::apply([&handler](auto&&... values) { std::move(handler)(std::move(values)...); }, std::move(outcome));
  }

  boost::asio::executor_work_guard<boost::asio::associated_executor_t<Handler>> work_;
  Handler handler_;
};

template <class Allocator>
Allocator recycling(const Allocator& allocator) noexcept {
  return allocator;
}
template <class Any>
boost::asio::recycling_allocator<void> recycling(const std::allocator<Any>&) noexcept {
  return {};
}

/// Makes one, and connects the handler's cancellation slot, if it has one, to core->cancel(waiter).
template <class Kind, class Core, class Handler, class... Args>
std::shared_ptr<Waiter> suspend(const std::shared_ptr<Core>& core, Handler&& handler, Args&&... args) {
  using Operation = Suspended<Kind, std::decay_t<Handler>>;
  auto operation = std::allocate_shared<Operation>(recycling(boost::asio::get_associated_allocator(handler)),
                                                   std::forward<Handler>(handler), std::forward<Args>(args)...);
  // Weak: the slot lives in the coroutine that the handler owns, so a strong one would be a circle.
  auto slot = operation->cancellation_slot();
  if (slot.is_connected()) {
    slot.assign([core, waiter = std::weak_ptr<Waiter>(operation)](boost::asio::cancellation_type type) {
      if (type == boost::asio::cancellation_type::none) return;
      if (const auto alive = waiter.lock()) core->cancel(*alive);
    });
  }
  return operation;
}

}  // namespace headrace::pipeline
