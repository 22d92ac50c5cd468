#pragma once
// Bytes that the host's processor moves: payload goes through gpu/host_copy.hpp, which counts; the rest has a reason.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/tidy/source.hpp"

namespace headrace::tidy {

/// A file that may copy by itself, that many times.
struct CopyAllowance {
  std::string path;
  std::size_t copies = 0;
  std::string reason;
  std::size_t line = 0;  // in the list
};

struct CopyAllowances {
  std::string list_path;
  std::vector<CopyAllowance> files;
  Findings malformed;
};

/// One file a line: `PATH COPIES REASON…`; empty lines and those that begin with '#' are passed over.
CopyAllowances read_copy_allowances(const Source& list);

/// Finds memcpy, memmove, std::copy and their kin in service, proto and gpu beyond what is allowed; and what the list
/// allows that is not there, so that an old line does not cover a new copy. `memcpy(&to, from, sizeof to)` is one value
/// and always allowed.
Findings check_host_copies(std::span<const Source> sources, const CopyAllowances& allowed);

}  // namespace headrace::tidy
