#include "load/fetch.hpp"

#include <fmt/format.h>

#include <array>

#include "load/spawn.hpp"

namespace headrace::load {
namespace {

Task<void> connect_once(Connection& connection, Endpoint endpoint, std::string& fault) {
  fault = co_await connection.connect(endpoint);
}

Task<void> exchange_once(Connection& connection, Endpoint endpoint, std::string request, std::string& fault) {
  fault = co_await connection.connect(endpoint);
  if (!fault.empty()) co_return;
  const std::array<asio::const_buffer, 1> buffers{asio::buffer(request)};
  const auto failure = co_await connection.exchange(buffers);
  if (failure != Connection::Failure::none) fault = connection.fault();
}

/// Runs `task`, which uses `connection`, to its end; false when it was cut off at the timeout.
bool run_within(asio::io_context& context, Connection& connection, Task<void> task, Duration timeout) {
  spawn(context, std::move(task));
  context.run_for(timeout);
  if (context.stopped()) return true;
  connection.close();
  context.run();
  return false;
}

std::string seconds_text(Duration timeout) {
  return fmt::format("no answer within {:g} s", std::chrono::duration<double>(timeout).count());
}

}  // namespace

Result<Endpoint> find_server(const Target& target, Duration timeout) {
  asio::io_context context(1);
  asio::ip::tcp::resolver resolver(context);
  boost::system::error_code error;
  const auto found =
      resolver.resolve(target.host, std::to_string(target.port), asio::ip::resolver_base::numeric_service, error);
  if (error) return fail(fmt::format("{}: the host's name cannot be resolved: {}", target.host, error.message()));
  std::string fault = "no address";
  for (const auto& entry : found) {
    context.restart();
    Connection connection(context.get_executor());
    if (!run_within(context, connection, connect_once(connection, entry.endpoint(), fault), timeout)) {
      fault = seconds_text(timeout);
    }
    if (fault.empty()) return entry.endpoint();
  }
  return fail(fmt::format("{}: cannot connect: {}", target.authority(), fault));
}

Result<Document> fetch(const Endpoint& server, const Target& target, std::string_view path, Duration timeout) {
  asio::io_context context(1);
  Connection connection(context.get_executor());
  std::string fault;
  std::string request = fmt::format(
      "GET {} HTTP/1.1\r\nHost: {}\r\nAccept: application/json\r\nConnection: close\r\n\r\n", path, target.authority());
  if (!run_within(context, connection, exchange_once(connection, server, std::move(request), fault), timeout)) {
    fault = seconds_text(timeout);
  }
  if (!fault.empty()) return fail(fmt::format("GET {}{}: {}", target.authority(), path, fault));
  return Document{connection.answer().status, std::string(connection.body())};
}

}  // namespace headrace::load
