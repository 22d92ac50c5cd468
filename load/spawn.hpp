#pragma once
// The one way to start a coroutine here: on its io_context, whose run() throws what the coroutine throws.

#include <boost/asio/co_spawn.hpp>

#include <exception>
#include <utility>

#include "load/connection.hpp"

namespace headrace::load {

inline void spawn(asio::io_context& context, Task<void> task) {
  asio::co_spawn(context, std::move(task), [](const std::exception_ptr& failure) {
    if (failure) std::rethrow_exception(failure);
  });
}

}  // namespace headrace::load
