#include "tests/gpu/ops/one_step.hpp"

#include <cstring>
#include <span>
#include <utility>

#include "gpu/ops/conformance.hpp"

namespace headrace::gpu {
namespace {

/// Aligned to 64 bytes, as the contract of Step::run asks.
struct alignas(64) Line {
  std::byte bytes[64];
};

}  // namespace

std::vector<std::byte> run_bytes(const Step& step, std::span<const std::byte> in) {
  const std::size_t rows = in.size() / step.input().row_bytes();
  std::vector<std::byte> out(rows * step.output().row_bytes());
  std::vector<Line> x(in.size() / sizeof(Line) + 1);
  std::vector<Line> y(out.size() / sizeof(Line) + 1);
  std::memcpy(x.data(), in.data(), in.size());
  step.run(x.front().bytes, y.front().bytes, rows);
  std::memcpy(out.data(), y.data(), out.size());
  return out;
}

Result<std::shared_ptr<const Program>> build(TensorType input, StepSpec step) {
  return Program::build({{{"x", std::move(input)}}, {std::move(step)}, {"y"}});
}

std::string refusal(TensorType input, StepSpec step) {
  const auto built = build(std::move(input), std::move(step));
  return built ? "accepted" : built.error().message;
}

std::vector<float> run(const Step& step, const std::vector<float>& in) {
  const auto bytes = run_bytes(step, std::as_bytes(std::span(in)));
  std::vector<float> out(bytes.size() / sizeof(float));
  std::memcpy(out.data(), bytes.data(), bytes.size());
  return out;
}

std::vector<float> run(TensorType input, StepSpec step, const std::vector<float>& in) {
  const auto program = build(std::move(input), std::move(step));
  return run(*program.value()->steps().front(), in);
}

std::string disagreement(const Step& step, const std::vector<float>& in) {
  const auto rows = std::as_bytes(std::span(in));
  return find_mismatch(step, rows, run_bytes(step, rows), rows.size() / step.input().row_bytes()).value_or("");
}

}  // namespace headrace::gpu
