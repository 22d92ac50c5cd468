#pragma once
// NVTX ranges for Nsight Systems: one a stage, named "stage · model · slot N", in the domain "headrace"; of the
// model's name at most the first 255 bytes, cut between characters. Without a profiler a range costs one comparison.
// With one, flights are launched kernel by kernel instead of as graphs, so that each kernel shows under its stage.

#include <cstdint>
#include <string_view>

namespace headrace::gpu::cuda::trace {

/// True when a profiler took the domain.
bool is_on() noexcept;

/// A range on the calling thread.
class Scope {
 public:
  Scope(std::string_view stage, std::string_view model, std::uint32_t slot) noexcept {
    if (is_on()) push(stage, model, slot);
  }
  ~Scope() {
    if (is_on()) pop();
  }
  Scope(const Scope&) = delete;
  Scope& operator=(const Scope&) = delete;

 private:
  static void push(std::string_view stage, std::string_view model, std::uint32_t slot) noexcept;
  static void pop() noexcept;
};

}  // namespace headrace::gpu::cuda::trace
