#include "load/answer_reader.hpp"

#include <algorithm>
#include <charconv>
#include <cstring>

namespace headrace::load {
namespace {

constexpr std::size_t chunk_line_bytes_max = 4096;

char lower(char c) noexcept { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

bool same_name(std::string_view text, std::string_view lower_case_name) noexcept {
  if (text.size() != lower_case_name.size()) return false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (lower(text[i]) != lower_case_name[i]) return false;
  }
  return true;
}

std::string_view trimmed(std::string_view text) noexcept {
  while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
  while (!text.empty() && (text.back() == ' ' || text.back() == '\t')) text.remove_suffix(1);
  return text;
}

bool parse_length(std::string_view text, int base, std::size_t& length) noexcept {
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, length, base);
  return error == std::errc{} && stop == end && !text.empty() && text.front() != '-';
}

}  // namespace

AnswerReader::State AnswerReader::bad(std::string_view why) noexcept {
  fault_ = why;
  phase_ = Phase::over;
  return State::bad;
}

AnswerReader::State AnswerReader::read_field(std::string_view name, std::string_view value) noexcept {
  if (same_name(name, "content-length")) {
    std::size_t length = 0;
    if (!parse_length(value, 10, length)) return bad("Content-Length is no number");
    if (sized_ && length != answer_.body_bytes) return bad("two values of Content-Length differ");
    if (length > answer_bytes_max) return bad("the body is larger than 1 GiB");
    sized_ = true;
    answer_.body_bytes = length;
  } else if (same_name(name, "transfer-encoding")) {
    if (!same_name(value, "chunked")) return bad("Transfer-Encoding is not 'chunked'");
    chunked_ = true;
  } else if (same_name(name, "connection")) {
    if (same_name(value, "close")) answer_.keep_alive = false;
    if (same_name(value, "keep-alive")) answer_.keep_alive = true;
  } else if (same_name(name, "content-encoding")) {
    if (!same_name(value, "identity")) return bad("a Content-Encoding came that was not asked for");
  } else if (same_name(name, "inference-header-content-length")) {
    if (!parse_length(value, 10, answer_.json_bytes)) return bad("Inference-Header-Content-Length is no number");
  }
  return State::more;
}

/// `head` ends with the line end of its last field; the empty line is not part of it.
AnswerReader::State AnswerReader::read_head(std::string_view head) noexcept {
  std::size_t line_end = head.find("\r\n");
  const std::string_view status_line = head.substr(0, line_end);
  if (!status_line.starts_with("HTTP/1.") || status_line.size() < 12 || status_line[8] != ' ') {
    return bad("the answer does not start with an HTTP/1.x status line");
  }
  if (status_line.size() > 12 && status_line[12] != ' ') return bad("the status is not three digits");
  if (status_line[7] == '0') answer_.keep_alive = false;
  std::size_t status = 0;
  if (!parse_length(status_line.substr(9, 3), 10, status) || status < 100) return bad("the status is not three digits");
  answer_.status = static_cast<unsigned>(status);

  for (std::size_t at = line_end + 2; at < head.size(); at = line_end + 2) {
    line_end = head.find("\r\n", at);
    const std::string_view line = head.substr(at, line_end - at);
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) return bad("a header line has no name");
    if (read_field(line.substr(0, colon), trimmed(line.substr(colon + 1))) == State::bad) return State::bad;
  }
  if (chunked_ && sized_) return bad("both Content-Length and Transfer-Encoding came");
  return State::more;
}

AnswerReader::State AnswerReader::advance(char* buffer, std::size_t& buffer_bytes) noexcept {
  while (phase_ == Phase::head) {
    const std::string_view text(buffer, buffer_bytes);
    const std::size_t end = text.find("\r\n\r\n", scanned_ < 3 ? 0 : scanned_ - 3);
    if (end == std::string_view::npos) {
      scanned_ = buffer_bytes;
      constexpr std::string_view first = "HTTP/1.";
      const std::string_view begun = text.substr(0, first.size());
      if (begun != first.substr(0, begun.size())) return bad("the answer does not start with an HTTP/1.x status line");
      return buffer_bytes > head_bytes_max ? bad("the head is larger than 64 KiB") : State::more;
    }
    if (read_head(text.substr(0, end + 2)) == State::bad) return State::bad;
    const std::size_t body = end + 4;
    if (answer_.status < 200) {
      if (answer_.status == 101) return bad("the server switched protocols");
      buffer_bytes -= body;
      std::memmove(buffer, buffer + body, buffer_bytes);
      reset();
      continue;
    }
    answer_.body_offset = body;
    if (answer_.status == 204 || answer_.status == 304) {
      chunked_ = false;
      sized_ = true;
      answer_.body_bytes = 0;
    }
    if (chunked_) {
      phase_ = Phase::chunk_size;
      scanned_ = body;
    } else if (sized_) {
      phase_ = Phase::sized_body;
      bytes_wanted_ = body + answer_.body_bytes;
    } else {
      phase_ = Phase::body_to_the_end;
      answer_.keep_alive = false;
    }
  }
  switch (phase_) {
    case Phase::sized_body:
      if (buffer_bytes < bytes_wanted_) return State::more;
      if (buffer_bytes > bytes_wanted_) return bad("bytes follow the answer that no request asked for");
      phase_ = Phase::over;
      return State::done;
    case Phase::body_to_the_end:
      answer_.body_bytes = buffer_bytes - answer_.body_offset;
      return buffer_bytes > answer_bytes_max ? bad("the body is larger than 1 GiB") : State::more;
    case Phase::over: return fault_.empty() ? State::done : State::bad;
    default: return read_chunks(buffer, buffer_bytes);
  }
}

/// The body grows at body_offset; what is not yet taken lies behind it, from scanned_ on. Only what was taken is moved.
AnswerReader::State AnswerReader::read_chunks(char* buffer, std::size_t& buffer_bytes) noexcept {
  for (;;) {
    const std::string_view rest(buffer + scanned_, buffer_bytes - scanned_);
    if (phase_ == Phase::chunk_data) {
      const std::size_t taken = std::min(chunk_left_, rest.size());
      std::memmove(buffer + answer_.body_offset + answer_.body_bytes, rest.data(), taken);
      answer_.body_bytes += taken;
      scanned_ += taken;
      chunk_left_ -= taken;
      if (chunk_left_ != 0) break;
      phase_ = Phase::chunk_end;
      continue;
    }
    const std::size_t end = rest.find("\r\n");
    if (end == std::string_view::npos) {
      if (rest.size() > chunk_line_bytes_max) return bad("a chunk's line is larger than 4 KiB");
      break;
    }
    const std::string_view line = rest.substr(0, end);
    scanned_ += end + 2;
    if (phase_ == Phase::chunk_size) {
      if (!parse_length(trimmed(line.substr(0, line.find(';'))), 16, chunk_left_)) {
        return bad("a chunk's size is no number");
      }
      if (chunk_left_ > answer_bytes_max - answer_.body_bytes) return bad("the body is larger than 1 GiB");
      phase_ = chunk_left_ == 0 ? Phase::trailer : Phase::chunk_data;
    } else if (phase_ == Phase::chunk_end) {
      if (!line.empty()) return bad("a chunk is longer than its size");
      phase_ = Phase::chunk_size;
    } else if (line.empty()) {
      if (scanned_ != buffer_bytes) return bad("bytes follow the answer that no request asked for");
      phase_ = Phase::over;
      return State::done;
    }
  }
  // What is left to take moves up to the body, so that the buffer grows with the body and not with its chunks' lines.
  const std::size_t body_end = answer_.body_offset + answer_.body_bytes;
  const std::size_t left = buffer_bytes - scanned_;
  std::memmove(buffer + body_end, buffer + scanned_, left);
  scanned_ = body_end;
  buffer_bytes = body_end + left;
  bytes_wanted_ = body_end + left + chunk_left_;
  return State::more;
}

AnswerReader::State AnswerReader::finish() noexcept {
  if (phase_ == Phase::body_to_the_end) {
    phase_ = Phase::over;
    return State::done;
  }
  return bad("the connection ended within the answer");
}

}  // namespace headrace::load
