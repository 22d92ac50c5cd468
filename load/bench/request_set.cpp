#include "load/bench/request_set.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <new>
#include <span>
#include <stdexcept>
#include <utility>

namespace headrace::bench {
namespace {

std::size_t buffer_bytes(std::size_t tensor_bytes) noexcept {
  constexpr std::size_t least = 8192;
  return gpu::HostPool::class_bytes(std::max(2 * tensor_bytes, least));
}

std::size_t in_bytes(const gpu::Program& program, BatchShape shape) noexcept {
  return shape.rows * program.inputs().front().type.row_bytes();
}

std::size_t out_bytes(const gpu::Program& program, BatchShape shape) noexcept {
  return shape.rows * program.outputs().front().type.row_bytes();
}

// Small values of many bits; a run of zeros could travel faster than real rows.
void fill(std::byte* data, std::size_t bytes, std::uint32_t seed) noexcept {
  auto* const values = reinterpret_cast<float*>(data);  // of a pool: aligned, and nobody else's
  for (std::size_t i = 0; i < bytes / sizeof(float); ++i) {
    seed = seed * 1664525U + 1013904223U;
    values[i] = static_cast<float>(seed >> 8U) / static_cast<float>(1U << 23U) - 1;
  }
}

std::vector<double> reference(const gpu::Program& program, const std::byte* row) {
  std::vector<float> narrow(program.inputs().front().type.row_elements());
  std::memcpy(narrow.data(), row, narrow.size() * sizeof(float));
  std::vector<double> values(narrow.begin(), narrow.end());
  for (const auto& step : program.steps()) {
    std::vector<double> next(step->output().row_elements());
    step->reference(values, next);
    values = std::move(next);
  }
  return values;
}

void check_row(const gpu::Program& program, const std::byte* in, const std::byte* out, const char* which) {
  constexpr double tolerance = 1e-3;
  const auto want = reference(program, in);
  std::vector<float> got(want.size());
  std::memcpy(got.data(), out, got.size() * sizeof(float));
  for (std::size_t i = 0; i < want.size(); ++i) {
    const double got_here = got[i];
    if (std::abs(got_here - want[i]) <= tolerance * std::max(1.0, std::abs(want[i]))) continue;
    throw std::runtime_error(
        fmt::format("wrong answer: {} row, element {}: expected {}, got {}", which, i, want[i], got_here));
  }
}

}  // namespace

std::size_t pool_bytes(const gpu::Program& program, BatchShape shape) noexcept {
  return shape.requests * (buffer_bytes(in_bytes(program, shape)) + buffer_bytes(out_bytes(program, shape)));
}

RequestSet::RequestSet(gpu::HostPool& pool, const gpu::Executable& executable, BatchShape shape)
    : executable_(&executable), shape_(shape) {
  const auto take = [&](std::size_t tensor_bytes) {
    buffers_.push_back(pool.take(buffer_bytes(tensor_bytes)));
    if (!buffers_.back()) throw std::bad_alloc();
    return buffers_.back().data();
  };
  const gpu::Program& program = executable.program();
  for (std::uint32_t i = 0; i < shape.requests; ++i) {
    std::byte* const input = take(in_bytes(program, shape));
    fill(input, in_bytes(program, shape), i + 1);
    inputs_.push_back(input);
    outputs_.push_back(take(out_bytes(program, shape)));
    std::memset(outputs_.back(), 0xff, out_bytes(program, shape));  // NaN: a row that nobody writes is seen
  }
  for (std::uint32_t i = 0; i < shape.requests; ++i) {
    segments_.push_back({{&inputs_[i], 1}, {&outputs_[i], 1}, shape.rows});
  }
}

gpu::Batch RequestSet::batch(std::uint64_t flight) const noexcept {
  return {.flight = flight, .executable = executable_, .segments = segments_, .rows = rows()};
}

std::size_t RequestSet::input_bytes() const noexcept {
  return shape_.requests * in_bytes(executable_->program(), shape_);
}

void RequestSet::check_answers() const {
  const gpu::Program& program = executable_->program();
  check_row(program, inputs_.front(), outputs_.front(), "first");
  const std::size_t last = shape_.rows - 1;
  check_row(program, inputs_.back() + last * program.inputs().front().type.row_bytes(),
            outputs_.back() + last * program.outputs().front().type.row_bytes(), "last");
}

}  // namespace headrace::bench
