#include "proto/datatype.hpp"

#include <array>

namespace headrace::proto {
namespace {

constexpr std::array<DatatypeTraits, 14> table{{
    {Datatype::boolean, "BOOL", "TYPE_BOOL", 1},
    {Datatype::uint8, "UINT8", "TYPE_UINT8", 1},
    {Datatype::uint16, "UINT16", "TYPE_UINT16", 2},
    {Datatype::uint32, "UINT32", "TYPE_UINT32", 4},
    {Datatype::uint64, "UINT64", "TYPE_UINT64", 8},
    {Datatype::int8, "INT8", "TYPE_INT8", 1},
    {Datatype::int16, "INT16", "TYPE_INT16", 2},
    {Datatype::int32, "INT32", "TYPE_INT32", 4},
    {Datatype::int64, "INT64", "TYPE_INT64", 8},
    {Datatype::fp16, "FP16", "TYPE_FP16", 2},
    {Datatype::bf16, "BF16", "TYPE_BF16", 2},
    {Datatype::fp32, "FP32", "TYPE_FP32", 4},
    {Datatype::fp64, "FP64", "TYPE_FP64", 8},
    {Datatype::bytes, "BYTES", "TYPE_STRING", 0},
}};

constexpr bool in_enumeration_order() {
  for (std::size_t i = 0; i < table.size(); ++i) {
    if (static_cast<std::size_t>(table[i].datatype) != i) return false;
  }
  return true;
}
static_assert(in_enumeration_order());

}  // namespace

std::span<const DatatypeTraits> datatypes() noexcept { return table; }

const DatatypeTraits& traits(Datatype datatype) noexcept { return table[static_cast<std::size_t>(datatype)]; }

std::optional<Datatype> parse_datatype(std::string_view name) noexcept {
  for (const auto& row : table) {
    if (row.name == name) return row.datatype;
  }
  return std::nullopt;
}

}  // namespace headrace::proto
