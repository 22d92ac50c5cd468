#pragma once
// The one place that starts a coroutine nobody awaits. An exception that escapes it is logged with its name, never
// lost.

#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/error.hpp>
#include <boost/system/system_error.hpp>
#include <exception>
#include <string>
#include <string_view>
#include <utility>

#include "service/pipeline/executor.hpp"
#include "service/telemetry/log.hpp"

namespace headrace::pipeline {

/// Logs what a coroutine let escape: an error, but a cancelled operation is an ordinary end and logged for debugging
/// only.
inline void log_escaped(const std::exception_ptr& escaped, std::string_view name) noexcept {
  if (!escaped) return;
  try {
    std::rethrow_exception(escaped);
  } catch (const boost::system::system_error& error) {
    const bool cancelled = error.code() == asio::error::operation_aborted;
    telemetry::log(cancelled ? telemetry::LogLevel::debug : telemetry::LogLevel::error,
                   cancelled ? "coroutine cancelled" : "coroutine ended by an exception",
                   {{"coroutine", std::string(name)}, {"what", error.what()}});
  } catch (const std::exception& error) {
    telemetry::log(telemetry::LogLevel::error, "coroutine ended by an exception",
                   {{"coroutine", std::string(name)}, {"what", error.what()}});
  } catch (...) {
    telemetry::log(telemetry::LogLevel::error, "coroutine ended by an exception of an unknown type",
                   {{"coroutine", std::string(name)}});
  }
}

/// Runs `task` on `executor`; its frame dies there when it ends, or with the context. `name` appears in the log only
/// and must be a literal, or outlive the task. Parameters of the coroutine live in its frame; what they refer to must
/// outlive it.
template <class AnyExecutor, class TaskExecutor>
void spawn(const AnyExecutor& executor, asio::awaitable<void, TaskExecutor> task, std::string_view name) {
  asio::co_spawn(executor, std::move(task),
                 [name](const std::exception_ptr& escaped) noexcept { log_escaped(escaped, name); });
}

}  // namespace headrace::pipeline
