#include "proto/json_scan.hpp"

#include <algorithm>
#include <bitset>

#include "proto/limits.hpp"

namespace headrace::proto {
namespace {

const char* scan_digits(const char* p, const char* end) noexcept {
  while (p != end && is_digit(*p)) ++p;
  return p;
}

const char* scan_number(const char* p, const char* end) noexcept {
  if (p != end && *p == '-') ++p;
  if (p == end || !is_digit(*p)) return nullptr;
  p = *p == '0' ? p + 1 : scan_digits(p, end);
  if (p != end && *p == '.') {
    const auto* fraction = p + 1;
    p = scan_digits(fraction, end);
    if (p == fraction) return nullptr;
  }
  if (p != end && (*p == 'e' || *p == 'E')) {
    ++p;
    if (p != end && (*p == '+' || *p == '-')) ++p;
    const auto* exponent = p;
    p = scan_digits(exponent, end);
    if (p == exponent) return nullptr;
  }
  return p;
}

bool is_hex_digit(char c) noexcept { return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }

// `p` stands behind the backslash.
const char* scan_escape(const char* p, const char* end) noexcept {
  if (p == end) return nullptr;
  if (*p != 'u') return std::string_view("\"\\/bfnrt").find(*p) != std::string_view::npos ? p + 1 : nullptr;
  if (end - p < 5 || !std::all_of(p + 1, p + 5, is_hex_digit)) return nullptr;
  return p + 5;
}

const char* scan_string(const char* p, const char* end) noexcept {
  for (++p; p != end;) {
    if (*p == '"') return p + 1;
    if (static_cast<unsigned char>(*p) < 0x20U) return nullptr;
    if (*p == '\\') {
      p = scan_escape(p + 1, end);
      if (p == nullptr) return nullptr;
    } else {
      ++p;
    }
  }
  return nullptr;
}

const char* scan_literal(const char* p, const char* end, std::string_view literal) noexcept {
  return std::string_view(p, static_cast<std::size_t>(end - p)).starts_with(literal) ? p + literal.size() : nullptr;
}

// Walks one value; every step leaves `p` where the text was still good.
class Checker {
 public:
  explicit Checker(std::string_view text) noexcept
      : begin_(text.data()), end_(begin_ + text.size()), p_(skip_blanks(begin_, end_)) {}

  JsonCheck run() noexcept {
    while (fault_ == JsonCheck::Fault::none) {
      if (begin_value() && end_values()) return {};
    }
    return {fault_, static_cast<std::size_t>(p_ - begin_)};
  }

 private:
  bool refuse(JsonCheck::Fault fault) noexcept {
    fault_ = fault;
    return false;
  }
  bool malformed() noexcept { return refuse(JsonCheck::Fault::malformed); }
  bool at(char c) const noexcept { return p_ != end_ && *p_ == c; }
  void step() noexcept { p_ = skip_blanks(p_ + 1, end_); }
  char closing() const noexcept { return object_[depth_ - 1] ? '}' : ']'; }

  // True when a whole value (a scalar or an empty container) ends here, false when an inner value comes next.
  bool begin_value() noexcept {
    if (!at('[') && !at('{')) {
      const auto* next = scan_scalar(p_, end_);
      if (next == nullptr) return malformed();
      p_ = skip_blanks(next, end_);
      return true;
    }
    if (depth_ == json_depth_max) return refuse(JsonCheck::Fault::too_deep);
    object_[depth_++] = *p_ == '{';
    step();
    if (at(closing())) return true;
    if (object_[depth_ - 1]) key();
    return false;
  }

  // Closes what ends here. True at the end of the text, false when another value follows.
  bool end_values() noexcept {
    while (depth_ != 0 && at(closing())) {
      --depth_;
      step();
    }
    if (depth_ == 0) return p_ == end_ || malformed();
    if (!at(',')) return malformed();
    step();
    if (object_[depth_ - 1]) key();
    return false;
  }

  void key() noexcept {
    const auto* next = at('"') ? scan_scalar(p_, end_) : nullptr;
    if (next == nullptr) {
      malformed();
      return;
    }
    p_ = skip_blanks(next, end_);
    if (at(':')) {
      step();
    } else {
      malformed();
    }
  }

  const char* begin_;
  const char* end_;
  const char* p_;
  std::bitset<json_depth_max> object_;
  std::size_t depth_ = 0;
  JsonCheck::Fault fault_ = JsonCheck::Fault::none;
};

}  // namespace

const char* scan_scalar(const char* p, const char* end) noexcept {
  if (p == end) return nullptr;
  switch (*p) {
    case '"': return scan_string(p, end);
    case 't': return scan_literal(p, end, "true");
    case 'f': return scan_literal(p, end, "false");
    case 'n': return scan_literal(p, end, "null");
    default: return scan_number(p, end);
  }
}

std::string_view token_at(const char* p, const char* end) noexcept {
  const auto* stop = p;
  if (p != end && *p == '"') {
    const auto* after = scan_string(p, end);
    stop = after == nullptr ? end : after;
  } else {
    while (stop != end && !is_blank(*stop) && std::string_view(",[]{}").find(*stop) == std::string_view::npos) ++stop;
    if (stop == p && p != end) ++stop;
  }
  return {p, static_cast<std::size_t>(stop - p)};
}

JsonCheck check_json(std::string_view text) noexcept { return Checker(text).run(); }

}  // namespace headrace::proto
