#include "load/target.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>

namespace headrace::load {
namespace {

std::string percent_encoded(std::string_view segment) {
  std::string text;
  for (const char c : segment) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80 && (std::isalnum(byte) != 0 || std::string_view("-._~").find(c) != std::string_view::npos)) {
      text.push_back(c);
    } else {
      text += fmt::format("%{:02X}", byte);
    }
  }
  return text;
}

bool usable_in_a_request_line(std::string_view text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c > ' ' && c != 0x7f; });
}

}  // namespace

std::string Target::authority() const {
  return host.find(':') == std::string::npos ? fmt::format("{}:{}", host, port) : fmt::format("[{}]:{}", host, port);
}

std::string Target::model_path(std::string_view model, std::string_view version) const {
  std::string path = prefix + "/v2/models/" + percent_encoded(model);
  if (!version.empty()) path += "/versions/" + percent_encoded(version);
  return path;
}

Result<Target> parse_target(std::string_view url) {
  constexpr std::string_view scheme = "http://";
  const auto wrong = [url](std::string_view why) {
    return fail(fmt::format("--url: expected http://HOST[:PORT][/PREFIX], got '{}': {}", url, why));
  };
  if (!url.starts_with(scheme)) return wrong("it does not start with http://");
  if (url.find_first_of("?#@") != std::string_view::npos) {
    return wrong("a user, a query or a fragment has no place in it");
  }
  if (!usable_in_a_request_line(url)) return wrong("it holds blanks or control characters");

  std::string_view rest = url.substr(scheme.size());
  Target target;
  const std::size_t slash = rest.find('/');
  if (slash != std::string_view::npos) {
    target.prefix = rest.substr(slash);
    while (target.prefix.ends_with('/')) target.prefix.pop_back();
    rest = rest.substr(0, slash);
  }

  std::string_view port;
  if (rest.starts_with('[')) {
    const std::size_t end = rest.find(']');
    if (end == std::string_view::npos) return wrong("the bracket of the address is not closed");
    target.host = rest.substr(1, end - 1);
    port = rest.substr(end + 1);
  } else {
    const std::size_t colon = rest.find(':');
    target.host = rest.substr(0, colon);
    if (colon != std::string_view::npos) port = rest.substr(colon);
  }
  if (target.host.empty()) return wrong("the host is missing");
  if (port.empty()) return target;
  if (port.front() != ':') return wrong("only a colon and a port may follow the address");
  port.remove_prefix(1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), target.port);
  if (error != std::errc{} || end != port.data() + port.size() || target.port == 0) {
    return wrong("the port is not a number from 1 to 65535");
  }
  return target;
}

}  // namespace headrace::load
