#include "gpu/device_selection.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace headrace::gpu {
namespace {

tl::unexpected<Error> refused(std::string_view text) {
  return fail(ErrorKind::unavailable, "device: expected auto, cpu, cuda or cuda:N[,N…] with different numbers, got '" +
                                          std::string(text) + "'");
}

}  // namespace

Result<DeviceSelection> parse_device_selection(std::string_view text) {
  constexpr std::string_view numbered = "cuda:";
  using Kind = DeviceSelection::Kind;
  if (text == "auto") return DeviceSelection{Kind::automatic, {}};
  if (text == "cpu") return DeviceSelection{Kind::cpu, {}};
  if (text == "cuda") return DeviceSelection{Kind::cuda, {}};
  if (!text.starts_with(numbered)) return refused(text);
  DeviceSelection selection{Kind::cuda, {}};
  const char* at = text.data() + numbered.size();
  const char* const end = text.data() + text.size();
  for (;;) {
    int ordinal = -1;
    const auto [behind, error] = std::from_chars(at, end, ordinal);
    if (error != std::errc{} || ordinal < 0) return refused(text);
    if (std::ranges::find(selection.ordinals, ordinal) != selection.ordinals.end()) return refused(text);
    selection.ordinals.push_back(ordinal);
    if (behind == end) return selection;
    if (*behind != ',') return refused(text);
    at = behind + 1;
  }
}

}  // namespace headrace::gpu
