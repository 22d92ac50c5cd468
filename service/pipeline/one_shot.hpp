#pragma once
// The handler of one suspended operation on a single thread: kept, then fired once. Not thread-safe.

#include <boost/asio/any_completion_handler.hpp>
#include <boost/asio/associated_executor.hpp>
#include <boost/asio/post.hpp>
#include <optional>
#include <utility>

namespace headrace::pipeline {

template <class... Args>
class OneShot {
  using Handler = boost::asio::any_completion_handler<void(Args...)>;

 public:
  explicit operator bool() const noexcept { return handler_.has_value(); }

  /// There must be none yet.
  template <class H>
  void keep(H&& handler) {
    handler_.emplace(std::forward<H>(handler));
  }
  /// Runs the handler here and now, if there is one; it may keep another.
  void fire(Args... args) {
    if (!handler_) return;
    // Boost 1.81: assigning one any_completion_handler to another recurses without end, so it is constructed instead.
    Handler handler(std::move(*handler_));
    handler_.reset();
    std::move(handler)(std::move(args)...);
  }

 private:
  std::optional<Handler> handler_;
};

/// Completes `handler` through its executor, for operations that were over before they began.
template <class Handler, class... Args>
void complete_later(Handler handler, Args... args) {
  const auto executor = boost::asio::get_associated_executor(handler);
  boost::asio::post(executor, [handler = std::move(handler), ... args = std::move(args)]() mutable {
    std::move(handler)(std::move(args)...);
  });
}

}  // namespace headrace::pipeline
