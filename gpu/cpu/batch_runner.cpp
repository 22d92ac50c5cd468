#include "gpu/cpu/batch_runner.hpp"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cstdint>

#include "gpu/cpu/tile_plan.hpp"

namespace headrace::gpu::cpu {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::size_t step_alignment_bytes = 64;  // what Step::run asks for

bool is_aligned(const std::byte* at) noexcept {
  return reinterpret_cast<std::uintptr_t>(at) % step_alignment_bytes == 0;
}

class TileRunner {
 public:
  TileRunner(const Program& program, std::span<const Segment> segments, const Scratch& scratch) noexcept
      : program_(program),
        segments_(segments),
        scratch_(scratch),
        in_bytes_(program.inputs().front().type.row_bytes()),
        out_bytes_(program.outputs().front().type.row_bytes()) {}

  void run(const Tile& tile, RunReport& report) noexcept {
    const auto begin = Clock::now();
    const std::byte* in = in_place_input(tile);
    if (in == nullptr) {
      report.copied_bytes += pack_rows(segments_, tile.from, tile.rows, 0, in_bytes_, scratch_.first);
      in = scratch_.first;
    }
    const auto packed = Clock::now();
    std::byte* const out = in_place_output(tile);
    const std::byte* result = run_steps(in, out, tile.rows);
    const auto computed = Clock::now();
    if (out == nullptr) {
      report.copied_bytes += scatter_rows(segments_, tile.from, tile.rows, 0, out_bytes_, result);
    }
    report.pack += packed - begin;
    report.kernel += computed - packed;
  }

 private:
  const std::byte* in_place_input(const Tile& tile) const noexcept {
    if (!tile.one_segment) return nullptr;
    const std::byte* at = segments_[tile.from.segment].inputs[0] + tile.from.row * in_bytes_;
    return is_aligned(at) ? at : nullptr;
  }

  std::byte* in_place_output(const Tile& tile) const noexcept {
    if (!tile.one_segment) return nullptr;
    std::byte* at = segments_[tile.from.segment].outputs[0] + tile.from.row * out_bytes_;
    return is_aligned(at) ? at : nullptr;
  }

  /// The last step writes to `out`, or to scratch where that is null. Returns where the result stands.
  const std::byte* run_steps(const std::byte* in, std::byte* out, std::size_t rows) const noexcept {
    const auto& steps = program_.steps();
    for (std::size_t i = 0; i < steps.size(); ++i) {
      std::byte* to = i + 1 == steps.size() ? out : nullptr;
      if (to == nullptr) to = scratch_for(*steps[i], in);
      steps[i]->run(in, to, rows);
      in = to;
    }
    return in;
  }

  std::byte* scratch_for(const Step& step, const std::byte* in) const noexcept {
    if (in == scratch_.first) return step.in_place() ? scratch_.first : scratch_.second;
    if (in == scratch_.second) return step.in_place() ? scratch_.second : scratch_.first;
    return scratch_.first;
  }

  const Program& program_;
  std::span<const Segment> segments_;
  const Scratch& scratch_;
  std::size_t in_bytes_;
  std::size_t out_bytes_;
};

}  // namespace

RunReport run_batch(const Program& program, std::span<const Segment> segments, const Scratch& scratch) noexcept {
  const std::size_t widest = program.widest_row_bytes();
  assert(widest <= scratch.bytes && is_aligned(scratch.first) && is_aligned(scratch.second));
  const std::size_t rows_max = std::min(tile_rows_max(widest), std::bit_floor(scratch.bytes / widest));
  TileRunner runner(program, segments, scratch);
  RunReport report;
  RowCursor at = RowCursor{}.advanced(segments, 0);
  for (Tile tile = next_tile(segments, at, rows_max); tile.rows > 0; tile = next_tile(segments, at, rows_max)) {
    runner.run(tile, report);
    at = tile.from.advanced(segments, tile.rows);
  }
  return report;
}

}  // namespace headrace::gpu::cpu
