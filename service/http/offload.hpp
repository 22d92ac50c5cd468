#pragma once
// Long work off the I/O thread: runs on a worker pool, completes on the caller's executor.

#include <boost/asio/associated_executor.hpp>
#include <boost/asio/async_result.hpp>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/thread_pool.hpp>
#include <type_traits>
#include <utility>

namespace headrace::http {

namespace asio = boost::asio;

/// Completes with void(Result) where Result is what `work` returns. What `work` refers to must live until then: a
/// coroutine that awaits this keeps it in its frame.
template <class Work, class Token>
auto async_offload(asio::thread_pool& workers, Work work, Token&& token) {
  using Result = std::invoke_result_t<Work&>;
  return asio::async_initiate<Token, void(Result)>(
      [&workers](auto handler, Work task) {
        auto executor = asio::get_associated_executor(handler);
        auto guard = asio::make_work_guard(executor);
        asio::post(workers, [task = std::move(task), handler = std::move(handler), executor,
                             guard = std::move(guard)]() mutable {
          Result result = task();
          asio::post(executor, [handler = std::move(handler), result = std::move(result)]() mutable {
            std::move(handler)(std::move(result));
          });
        });
      },
      token, std::move(work));
}

}  // namespace headrace::http
