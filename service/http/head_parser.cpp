#include "service/http/head_parser.hpp"

#include <fmt/format.h>

#include <array>
#include <boost/beast/core/string.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <cstddef>
#include <memory_resource>
#include <optional>

namespace headrace::http {

namespace beast = boost::beast;

// Header fields live in the parser's own arena: a head of ordinary size takes nothing from the heap.
using FieldAllocator = std::pmr::polymorphic_allocator<char>;
constexpr std::size_t arena_bytes = 1536;

struct HeadParser::Impl {
  std::array<std::byte, arena_bytes> arena_memory;
  std::pmr::monotonic_buffer_resource arena{arena_memory.data(), arena_memory.size()};
  std::optional<beast::http::request_parser<beast::http::empty_body, FieldAllocator>> parser;
  std::uint64_t body_bytes_max = 0;
  std::size_t parsed = 0;  // Beast keeps what it parsed of an unfinished head, so it must not see those bytes again
  RequestHead head;
  proto::Error error{proto::ErrorCode::invalid_argument, {}};

  Status fail(proto::ErrorCode code, std::string message) {
    error = {code, std::move(message)};
    return Status::failed;
  }
  Status failed_by(const beast::error_code& code);
  Status accept();
};

namespace {

std::string_view view(beast::string_view text) { return {text.data(), text.size()}; }

Method method_of(beast::http::verb verb) {
  // HEAD is GET whose answer is written without its body (Session::write_reply).
  if (verb == beast::http::verb::get || verb == beast::http::verb::head) return Method::get;
  if (verb == beast::http::verb::post) return Method::post;
  return Method::other;
}

bool has_folded_line(std::span<const char> head) {
  for (std::size_t i = 0; i + 1 < head.size(); ++i) {
    if (head[i] == '\n' && (head[i + 1] == ' ' || head[i + 1] == '\t')) return true;
  }
  return false;
}

}  // namespace

HeadParser::HeadParser() : impl_(std::make_unique<Impl>()) {}
HeadParser::~HeadParser() = default;

const RequestHead& HeadParser::head() const noexcept { return impl_->head; }
const proto::Error& HeadParser::error() const noexcept { return impl_->error; }

void HeadParser::reset(std::uint64_t body_bytes_max) {
  impl_->parser.reset();
  impl_->arena.release();
  impl_->parser.emplace(std::piecewise_construct, std::make_tuple(), std::make_tuple(FieldAllocator(&impl_->arena)));
  impl_->parser->header_limit(head_bytes_max);
  impl_->parser->body_limit(body_bytes_max);
  impl_->body_bytes_max = body_bytes_max;
  impl_->parsed = 0;
  impl_->head = {};
}

HeadParser::Status HeadParser::Impl::failed_by(const beast::error_code& code) {
  using beast::http::error;
  if (code == error::body_limit) {
    return fail(proto::ErrorCode::payload_too_large,
                fmt::format("body: expected at most {} bytes, Content-Length announces more", body_bytes_max));
  }
  if (code == error::header_limit || code == error::buffer_overflow) {
    return fail(proto::ErrorCode::header_too_large,
                fmt::format("request head: expected at most {} bytes", head_bytes_max));
  }
  return fail(proto::ErrorCode::invalid_argument, fmt::format("request head: {}", code.message()));
}

HeadParser::Status HeadParser::Impl::accept() {
  namespace field_names = beast::http;
  const auto& message = parser->get();
  head.method = method_of(message.method());
  head.method_text = view(message.method_string());
  head.target = view(message.target());
  // Clients of HTTP/1.0 that ask to keep a connection wait for a header that says it is kept: they are not.
  head.keep_alive = message.version() == 11 && message.keep_alive();
  head.chunked = parser->chunked();
  if (const auto length = parser->content_length()) head.content_length = *length;
  if (message.count(field_names::field::content_encoding) > 1) {
    return fail(proto::ErrorCode::unsupported_encoding, "header Content-Encoding: expected once, got it several times");
  }
  if (const auto found = message.find(field_names::field::content_encoding); found != message.end()) {
    if (!beast::iequals(found->value(), "identity")) head.content_encoding = view(found->value());
  }
  if (message.count("Inference-Header-Content-Length") > 1) {
    return fail(proto::ErrorCode::invalid_argument,
                "header Inference-Header-Content-Length: expected once, got it several times");
  }
  if (const auto found = message.find("Inference-Header-Content-Length"); found != message.end()) {
    head.json_length = view(found->value());
  }
  if (const auto found = message.find(field_names::field::expect); found != message.end()) {
    const bool known = beast::iequals(found->value(), "100-continue");
    head.expect_continue = known && message.version() == 11;  // a client of HTTP/1.0 knows no interim answer
    if (!known) {
      return fail(proto::ErrorCode::invalid_argument, "header Expect: expected 100-continue, got another value");
    }
  }
  if (message.version() != 10 && message.version() != 11) {
    return fail(proto::ErrorCode::invalid_argument, "request head: expected HTTP/1.0 or HTTP/1.1");
  }
  const auto hosts = message.count(field_names::field::host);
  if (message.version() == 11 && hosts == 0) {
    return fail(proto::ErrorCode::invalid_argument, "header Host: expected in every HTTP/1.1 request, it is missing");
  }
  if (hosts > 1) return fail(proto::ErrorCode::invalid_argument, "header Host: expected once, got it several times");
  // Beast takes a message whose last coding is not chunked for one without a body: its end would be guessed.
  const auto codings = message.count(field_names::field::transfer_encoding);
  if (codings > 1 || (codings == 1 && !beast::iequals(message[field_names::field::transfer_encoding], "chunked"))) {
    return fail(proto::ErrorCode::invalid_argument,
                "header Transfer-Encoding: expected chunked alone, got other codings");
  }
  return Status::done;
}

HeadParser::Status HeadParser::put(std::span<const char> unread, std::size_t& consumed) {
  consumed = 0;
  if (impl_->parser->is_header_done()) return Status::done;
  beast::error_code code;
  const auto fresh = unread.subspan(impl_->parsed);
  impl_->parsed += impl_->parser->put(boost::asio::const_buffer(fresh.data(), fresh.size()), code);
  if (code == beast::http::error::need_more) {
    if (unread.size() < head_bytes_max) return Status::need_more;
    return impl_->failed_by(beast::http::error::header_limit);
  }
  if (code && code != beast::http::error::end_of_stream) return impl_->failed_by(code);
  if (!impl_->parser->is_header_done()) return Status::need_more;
  consumed = impl_->parsed;
  if (consumed > head_bytes_max) return impl_->failed_by(beast::http::error::header_limit);
  if (has_folded_line(unread.first(consumed))) {
    return impl_->fail(proto::ErrorCode::invalid_argument, "request head: folded header lines are not accepted");
  }
  return impl_->accept();
}

}  // namespace headrace::http
