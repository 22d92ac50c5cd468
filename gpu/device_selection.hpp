#pragma once
// The text that chooses devices, as a value. Pure.

#include <string_view>
#include <vector>

#include "gpu/error.hpp"

namespace headrace::gpu {

struct DeviceSelection {
  enum class Kind { automatic, cpu, cuda };
  Kind kind = Kind::automatic;
  std::vector<int> ordinals;  // of cuda, in the order given; empty: every one
};

/// "auto", "cpu", "cuda", "cuda:1", "cuda:0,2". Errors: unavailable, naming what was expected and what came.
Result<DeviceSelection> parse_device_selection(std::string_view text);

}  // namespace headrace::gpu
