#include "tests/support/test_batch.hpp"

#include <algorithm>
#include <cassert>
#include <cstring>
#include <new>

#include "gpu/ops/generated.hpp"

namespace headrace::support {
namespace {

// Behind and before an answer; a whole alignment, so that the answer stays aligned.
constexpr std::size_t guard_bytes = gpu::host_alignment_bytes;
constexpr std::byte guard_byte{0xA5};

bool is_guard(std::span<const std::byte> bytes) noexcept {
  return std::ranges::all_of(bytes, [](std::byte byte) { return byte == guard_byte; });
}

std::vector<float> floats(std::span<const std::byte> bytes) {
  std::vector<float> values(bytes.size() / sizeof(float));
  if (!values.empty()) std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

}  // namespace

TestBatch::TestBatch(gpu::HostPool& pool, const gpu::Executable& executable, std::span<const TestRequest> requests)
    : executable_(executable),
      in_row_bytes_(executable.program().inputs().front().type.row_bytes()),
      out_row_bytes_(executable.program().outputs().front().type.row_bytes()) {
  const auto take = [&](std::size_t bytes) {
    buffers_.push_back(pool.take(bytes));
    if (!buffers_.back()) throw std::bad_alloc();
    return buffers_.back().data();
  };
  for (const TestRequest& request : requests) {
    assert(request.offset < gpu::host_alignment_bytes);
    const std::size_t answer_bytes = request.rows * out_row_bytes_;
    inputs_.push_back(take(request.offset + request.rows * in_row_bytes_) + request.offset);
    std::byte* const answer = take(answer_bytes + 2 * guard_bytes);
    std::fill_n(answer, answer_bytes + 2 * guard_bytes, guard_byte);
    segment_outputs_.push_back(answer + guard_bytes);
    rows_ += request.rows;
  }
  segment_inputs_.assign(inputs_.begin(), inputs_.end());
  for (std::size_t i = 0; i < requests.size(); ++i) {
    segments_.push_back({{&segment_inputs_[i], 1}, {&segment_outputs_[i], 1}, requests[i].rows});
  }
}

gpu::Batch TestBatch::batch(std::uint64_t flight) const noexcept {
  return {.flight = flight, .executable = &executable_, .segments = segments_, .rows = rows_};
}

std::span<std::byte> TestBatch::input(std::size_t request) noexcept {
  return {inputs_[request], segments_[request].rows * in_row_bytes_};
}

std::span<const std::byte> TestBatch::output(std::size_t request) const noexcept {
  return {segment_outputs_[request], segments_[request].rows * out_row_bytes_};
}

void TestBatch::set_floats(std::size_t request, std::span<const float> values) noexcept {
  assert(values.size_bytes() == input(request).size());
  if (!values.empty()) std::memcpy(inputs_[request], values.data(), values.size_bytes());
}

std::vector<float> TestBatch::input_floats(std::size_t request) const {
  return floats({inputs_[request], segments_[request].rows * in_row_bytes_});
}

std::vector<float> TestBatch::output_floats(std::size_t request) const { return floats(output(request)); }

void TestBatch::fill_bytes(std::uint64_t seed) noexcept {
  gpu::Generator generator(seed);
  for (std::size_t i = 0; i < requests(); ++i) {
    for (std::byte& byte : input(i)) byte = static_cast<std::byte>(generator.bits());
  }
}

void TestBatch::fill_floats(std::uint64_t seed) {
  gpu::Generator generator(seed);
  for (std::size_t i = 0; i < requests(); ++i) {
    std::vector<float> values(input(i).size() / sizeof(float));
    for (float& value : values) value = 4 * generator.unit();
    set_floats(i, values);
  }
}

bool TestBatch::guards_are_whole() const noexcept {
  for (std::size_t i = 0; i < requests(); ++i) {
    const auto answer = output(i);
    if (!is_guard({answer.data() - guard_bytes, guard_bytes})) return false;
    if (!is_guard({answer.data() + answer.size(), guard_bytes})) return false;
  }
  return true;
}

}  // namespace headrace::support
