#include "tests/support/http_client.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <stdexcept>
#include <utility>

namespace headrace::support {

namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  std::transform(out.begin(), out.end(), out.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return out;
}

void parse_head(std::string_view head, HttpAnswer& answer) {
  answer.status = std::stoi(std::string(head.substr(9, 3)));
  for (std::size_t at = head.find("\r\n"); at != std::string_view::npos;) {
    const std::size_t begin = at + 2;
    at = head.find("\r\n", begin);
    const auto line = head.substr(begin, at == std::string_view::npos ? at : at - begin);
    const auto colon = line.find(": ");
    if (colon != std::string_view::npos) answer.headers[lower(line.substr(0, colon))] = line.substr(colon + 2);
  }
}

}  // namespace

HttpClient::HttpClient(const std::string& address) {
  const auto colon = address.rfind(':');
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(static_cast<std::uint16_t>(std::stoi(address.substr(colon + 1))));
  inet_pton(AF_INET, address.substr(0, colon).c_str(), &to.sin_addr);
  socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
  const timeval limit{.tv_sec = 30, .tv_usec = 0};
  const int on = 1;
  setsockopt(socket_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  if (connect(socket_, reinterpret_cast<const sockaddr*>(&to), sizeof to) != 0) {
    ::close(socket_);
    throw std::runtime_error("cannot connect to " + address);
  }
}

HttpClient::HttpClient(HttpClient&& other) noexcept
    : socket_(std::exchange(other.socket_, -1)), unread_(std::move(other.unread_)) {}

HttpClient::~HttpClient() {
  if (socket_ >= 0) ::close(socket_);
}

void HttpClient::close(bool reset) {
  if (reset) {
    const linger hard{.l_onoff = 1, .l_linger = 0};
    setsockopt(socket_, SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
  }
  ::close(std::exchange(socket_, -1));
}

void HttpClient::shut_down_sending() { ::shutdown(socket_, SHUT_WR); }

bool HttpClient::send(std::string_view bytes) {
  while (!bytes.empty()) {
    const auto sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
  return true;
}

bool HttpClient::fill() {
  char piece[65536];
  const auto got = ::recv(socket_, piece, sizeof piece, 0);
  if (got <= 0) return false;
  unread_.append(piece, static_cast<std::size_t>(got));
  return true;
}

std::optional<HttpAnswer> HttpClient::receive() {
  std::size_t head_end = 0;
  while ((head_end = unread_.find("\r\n\r\n")) == std::string::npos) {
    if (!fill()) return std::nullopt;
  }
  HttpAnswer answer;
  parse_head(std::string_view(unread_).substr(0, head_end), answer);
  unread_.erase(0, head_end + 4);
  if (answer.status == 100) return answer;
  const std::size_t length = std::stoul(answer.headers.at("content-length"));
  while (unread_.size() < length) {
    if (!fill()) return std::nullopt;
  }
  answer.body = unread_.substr(0, length);
  unread_.erase(0, length);
  return answer;
}

bool HttpClient::closed_by_peer() { return unread_.empty() && !fill() && unread_.empty(); }

HttpAnswer HttpClient::get(std::string_view path) {
  send("GET " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n\r\n");
  return receive().value_or(HttpAnswer{});
}

HttpAnswer HttpClient::post(std::string_view path, std::string_view body, std::string_view extra_headers) {
  send(post_text(path, body, extra_headers));
  return receive().value_or(HttpAnswer{});
}

std::string post_text(std::string_view path, std::string_view body, std::string_view extra_headers) {
  std::string text = "POST " + std::string(path) + " HTTP/1.1\r\nHost: test\r\n";
  text += extra_headers;
  text += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  text += body;
  return text;
}

}  // namespace headrace::support
