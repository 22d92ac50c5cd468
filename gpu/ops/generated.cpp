#include "gpu/ops/generated.hpp"

#include <utility>

namespace headrace::gpu {

std::uint64_t Generator::bits() noexcept {
  state_ += 0x9e3779b97f4a7c15u;
  std::uint64_t z = state_;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

float Generator::unit() noexcept {
  return static_cast<float>(static_cast<std::int32_t>(bits() >> 40) - (1 << 23)) * 0x1p-23f;
}

HostTensor generated_weight(std::vector<std::int64_t> shape, Generator& generator) {
  HostTensor tensor{ElementType::f32, std::move(shape), nullptr, nullptr};
  auto values = std::make_shared<std::vector<float>>(tensor.elements());
  for (float& value : *values) value = generator.unit();
  tensor.data = reinterpret_cast<const std::byte*>(values->data());
  tensor.owner = std::move(values);
  return tensor;
}

}  // namespace headrace::gpu
