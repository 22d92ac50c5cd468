#pragma once
// The 13 datatypes of the Open Inference Protocol: one table that everything else reads.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace headrace::proto {

enum class Datatype : std::uint8_t {
  boolean,
  uint8,
  uint16,
  uint32,
  uint64,
  int8,
  int16,
  int32,
  int64,
  fp16,
  bf16,
  fp32,
  fp64,
  bytes
};

struct DatatypeTraits {
  Datatype datatype;
  std::string_view name;         // as in requests and metadata: "FP32"
  std::string_view config_name;  // as in /config: "TYPE_FP32"
  std::size_t item_bytes;        // 0 for BYTES, whose elements carry their own length
};

/// All rows of the table, in the order of the enumeration.
std::span<const DatatypeTraits> datatypes() noexcept;
const DatatypeTraits& traits(Datatype datatype) noexcept;
/// The datatype of that protocol name; names are case-sensitive. Nothing for an unknown name.
std::optional<Datatype> parse_datatype(std::string_view name) noexcept;

}  // namespace headrace::proto
