#pragma once
// Weights in the safetensors format: 8 bytes of header length (little-endian), a JSON header of that length that gives
// each tensor's dtype, shape and data_offsets, then the tensors' bytes without gaps.
//
// The whole header is checked before any tensor is used: a file that was cut, grown or edited is refused, with a
// message that names the tensor, what was expected and what came.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <vector>

#include "gpu/program.hpp"
#include "gpu/tensor_type.hpp"

namespace headrace::models {

inline constexpr std::size_t safetensors_header_bytes_max = 16U << 20U;  // about a hundred thousand tensors
inline constexpr std::size_t safetensors_rank_max = 16;

/// Where a tensor lies; `begin` and `end` count from the start of the file.
struct TensorEntry {
  gpu::ElementType element = gpu::ElementType::f32;
  std::vector<std::int64_t> shape;
  std::size_t begin = 0;
  std::size_t end = 0;
};
using TensorEntries = std::map<std::string, TensorEntry, std::less<>>;

/// Checks a whole file in memory. Offsets are within it, neither overlap nor leave gaps, and match dtype and shape.
tl::expected<TensorEntries, std::string> parse_safetensors(std::span<const std::byte> file);

/// An open weights file. Thread-safe: immutable.
class Safetensors {
 public:
  static tl::expected<Safetensors, std::string> open(const std::filesystem::path& path);

  /// Nothing when there is none of that name. The data is aligned to 64 bytes: a tensor that lies so in the file is
  /// used in place (its owner is the mapping), any other is copied once per call.
  std::optional<gpu::HostTensor> tensor(std::string_view name) const;
  /// Sorted; valid as long as this object.
  std::vector<std::string_view> names() const;

 private:
  std::shared_ptr<const class MappedFile> file_;
  TensorEntries entries_;
};

}  // namespace headrace::models
