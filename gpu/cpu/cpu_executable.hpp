#pragma once
// A program made ready for the CPU device. The weights are read where the steps hold them.

#include <cstdint>
#include <memory>
#include <utility>

#include "gpu/cpu/cost.hpp"
#include "gpu/device.hpp"

namespace headrace::gpu::cpu {

class CpuExecutable final : public Executable {
 public:
  CpuExecutable(std::shared_ptr<const Program> program, std::uint32_t rows_max)
      : Executable(std::move(program), rows_max), row_flops_(cpu::row_flops(this->program())) {}

  std::size_t device_bytes() const noexcept override { return program().weight_bytes(); }
  std::uint64_t row_flops() const noexcept { return row_flops_; }

 private:
  std::uint64_t row_flops_;
};

}  // namespace headrace::gpu::cpu
