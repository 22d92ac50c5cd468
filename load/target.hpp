#pragma once
// The server under load: an http:// URL, taken apart. Pure.

#include <cstdint>
#include <string>
#include <string_view>

#include "load/result.hpp"

namespace headrace::load {

struct Target {
  std::string host;         // without brackets: "127.0.0.1", "::1", "gpu-box"
  std::uint16_t port = 80;
  std::string prefix;       // path before /v2, without a slash at its end; empty for most servers

  /// "127.0.0.1:8000", "[::1]:8000": for the Host header and for messages.
  std::string authority() const;
  /// prefix + /v2/models/M[/versions/V], both percent-encoded.
  std::string model_path(std::string_view model, std::string_view version) const;
};

/// http://HOST[:PORT][/PREFIX]. No other scheme, no user, no query; the error says which part is wrong.
Result<Target> parse_target(std::string_view url);

}  // namespace headrace::load
