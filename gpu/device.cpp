#include "gpu/device.hpp"

#include <utility>

namespace headrace::gpu {

HostBlock::HostBlock(HostBlock&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      free_(other.free_),
      context_(other.context_) {}

HostBlock& HostBlock::operator=(HostBlock&& other) noexcept {
  HostBlock taken(std::move(other));
  std::swap(data_, taken.data_);
  std::swap(bytes_, taken.bytes_);
  std::swap(free_, taken.free_);
  std::swap(context_, taken.context_);
  return *this;
}

HostBlock::~HostBlock() {
  if (data_ != nullptr && free_ != nullptr) free_(context_, data_, bytes_);
}

}  // namespace headrace::gpu
