#include "service/telemetry/timeline.hpp"

namespace headrace::telemetry {
namespace {

constexpr std::array<std::string_view, stage_count> names{"read", "decode", "admit", "queue",   "slot",   "pack",
                                                          "h2d",  "kernel", "d2h",   "scatter", "encode", "write"};
static_assert(static_cast<std::size_t>(Stage::write) + 1 == stage_count);

}  // namespace

std::string_view stage_name(Stage stage) noexcept { return names[static_cast<std::size_t>(stage)]; }

}  // namespace headrace::telemetry
