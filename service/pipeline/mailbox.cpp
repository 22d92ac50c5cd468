#include "service/pipeline/mailbox.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <utility>

#include "service/pipeline/request.hpp"

namespace headrace::pipeline {

namespace {
// Oldest first: answers leave in the order in which they were posted.
Request* reversed(Request* newest, Request* Request::* next) noexcept {
  Request* oldest = nullptr;
  while (newest != nullptr) {
    Request* const following = newest->*next;
    newest->*next = oldest;
    oldest = newest;
    newest = following;
  }
  return oldest;
}
}  // namespace

Mailbox::~Mailbox() {
  for (Request* request = head_.exchange(nullptr); request != nullptr;) {
    const auto keep = std::move(request->self_);
    request = request->next_;
  }
}

void Mailbox::post(std::shared_ptr<Request> request) noexcept {
  Request* const node = request.get();
  node->self_ = std::move(request);
  Request* expected = head_.load(std::memory_order_relaxed);
  do {
    node->next_ = expected;
  } while (!head_.compare_exchange_weak(expected, node, std::memory_order_release, std::memory_order_relaxed));
  if (expected == nullptr) asio::post(executor_, [this] { drain(); });
}

void Mailbox::attend(gpu::Device& device, telemetry::Clock::time_point until) noexcept {
  if (attended_ != nullptr && attended_ != &device) leave();
  attended_ = &device;
  attended_until_ = until;
  executor_.context().stop();  // the reading thread's loop goes on with look()
}

void Mailbox::look() noexcept {
  if (!attended_->look()) {
    attended_ = nullptr;
  } else if (telemetry::Clock::now() >= attended_until_) {
    leave();
  }
}

void Mailbox::leave() noexcept {
  if (attended_ != nullptr) std::exchange(attended_, nullptr)->leave();
}

void Mailbox::drain() noexcept {
  Request* request = reversed(head_.exchange(nullptr, std::memory_order_acquire), &Request::next_);
  while (request != nullptr) {
    Request* const following = std::exchange(request->next_, nullptr);
    const auto keep = std::move(request->self_);
    keep->deliver();
    request = following;
  }
}

}  // namespace headrace::pipeline
