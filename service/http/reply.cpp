#include "service/http/reply.hpp"

#include <array>
#include <cassert>
#include <charconv>
#include <cstdio>
#include <cstring>

#include "proto/documents.hpp"

namespace headrace::http {

namespace {

constexpr std::uint32_t retry_after_s_default = 1;

/// Appends to a fixed buffer that is known to be large enough.
class Writer {
 public:
  explicit Writer(char* out) noexcept : begin_(out), at_(out) {}
  Writer& text(std::string_view value) noexcept {
    std::memcpy(at_, value.data(), value.size());
    at_ += value.size();
    return *this;
  }
  template <class Number>
  Writer& number(Number value) noexcept {
    at_ = std::to_chars(at_, at_ + 24, value).ptr;
    return *this;
  }
  std::size_t size() const noexcept { return static_cast<std::size_t>(at_ - begin_); }

 private:
  char* begin_;
  char* at_;
};

}  // namespace

Reply error_reply(const proto::Error& error) {
  const auto& traits = proto::traits(error.code);
  Reply reply;
  reply.status = traits.http_status;
  reply.body = proto::error_document(error.message);
  reply.error_name = traits.name;
  if (traits.retryable) reply.retry_after_s = retry_after_s_default;
  return reply;
}

std::string_view reason_phrase(int status) noexcept {
  switch (status) {
    case 200: return "OK";
    case 400: return "Bad Request";
    case 403: return "Forbidden";
    case 404: return "Not Found";
    case 405: return "Method Not Allowed";
    case 408: return "Request Timeout";
    case 411: return "Length Required";
    case 413: return "Content Too Large";
    case 415: return "Unsupported Media Type";
    case 422: return "Unprocessable Content";
    case 429: return "Too Many Requests";
    case 431: return "Request Header Fields Too Large";
    case 499: return "Client Closed Request";
    case 500: return "Internal Server Error";
    case 501: return "Not Implemented";
    case 503: return "Service Unavailable";
    case 504: return "Gateway Timeout";
    default: return "Unknown";
  }
}

std::string_view DateText::now() noexcept {
  const std::time_t second = std::time(nullptr);
  if (second != second_) {
    second_ = second;
    std::tm parts{};
    gmtime_r(&second, &parts);
    // Names are spelled out here: strftime would take them from the locale.
    static constexpr std::array<const char*, 7> days{"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static constexpr std::array<const char*, 12> months{"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                                        "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    char format[32];
    std::snprintf(format, sizeof format, "%s, %%d %s %%Y %%H:%%M:%%S GMT",
                  days[static_cast<std::size_t>(parts.tm_wday)], months[static_cast<std::size_t>(parts.tm_mon)]);
    size_ = std::strftime(text_, sizeof text_, format, &parts);
  }
  return {text_, size_};
}

std::size_t write_response_head(const ResponseHead& head, std::string_view date, char* out) noexcept {
  Writer writer(out);
  if (head.status == 200) {
    writer.text("HTTP/1.1 200 OK\r\n");
  } else {
    writer.text("HTTP/1.1 ").number(head.status).text(" ").text(reason_phrase(head.status)).text("\r\n");
  }
  writer.text("Server: headrace\r\nDate: ").text(date);
  writer.text("\r\nContent-Type: ").text(head.content_type);
  writer.text("\r\nContent-Length: ").number(head.content_length);
  if (head.json_length) writer.text("\r\nInference-Header-Content-Length: ").number(*head.json_length);
  if (!head.allow.empty()) writer.text("\r\nAllow: ").text(head.allow);
  if (head.retry_after_s) writer.text("\r\nRetry-After: ").number(*head.retry_after_s);
  if (head.close) writer.text("\r\nConnection: close");
  writer.text("\r\n\r\n");
  assert(writer.size() <= response_head_bytes_max);
  return writer.size();
}

}  // namespace headrace::http
