#pragma once
// The one executor type of the service: each thread runs its own io_context, so Asio's templates are compiled once.

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace headrace {

namespace asio = boost::asio;

using Executor = asio::io_context::executor_type;

template <class T = void>
using Awaitable = asio::awaitable<T, Executor>;

/// Completion token of every await: errors come as values.
inline constexpr auto use_result = asio::as_tuple(asio::use_awaitable_t<Executor>{});

}  // namespace headrace
