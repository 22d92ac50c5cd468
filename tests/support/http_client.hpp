#pragma once
// A blocking HTTP/1.1 client for tests: raw bytes out, one parsed answer in. Plain sockets, so that it shares no code
// with what it tests.

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace headrace::support {

struct HttpAnswer {
  int status = 0;
  std::map<std::string, std::string, std::less<>> headers;  // names in lower case
  std::string body;

  /// Empty when it did not come.
  std::string header(std::string_view name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string() : found->second;
  }
};

class HttpClient {
 public:
  /// Connects to "127.0.0.1:PORT". Throws std::runtime_error when that fails.
  explicit HttpClient(const std::string& address);
  HttpClient(HttpClient&& other) noexcept;
  HttpClient& operator=(HttpClient&&) = delete;
  ~HttpClient();

  /// False when the connection broke.
  bool send(std::string_view bytes);
  /// The next answer; nothing when the connection ended or broke before a whole one. Waits at most 30 s.
  std::optional<HttpAnswer> receive();
  /// True when the peer closes without another byte.
  bool closed_by_peer();
  /// Ends the connection: with a reset when `reset`, otherwise in order.
  void close(bool reset = false);
  void shut_down_sending();

  HttpAnswer get(std::string_view path);
  HttpAnswer post(std::string_view path, std::string_view body, std::string_view extra_headers = {});

 private:
  bool fill();

  int socket_ = -1;
  std::string unread_;
};

/// "POST path HTTP/1.1…" with Content-Length and `extra_headers` ("Name: value\r\n" each), and the body.
std::string post_text(std::string_view path, std::string_view body, std::string_view extra_headers = {});

}  // namespace headrace::support
