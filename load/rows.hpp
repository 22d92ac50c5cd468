#pragma once
// Rows of one tensor, back to back: what is sent, or what is expected back. From a .npy file or from a seed. Pure but
// for reading the file.

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string_view>
#include <vector>

#include "load/model_info.hpp"
#include "load/result.hpp"
#include "proto/datatype.hpp"

namespace headrace::load {

class Rows {
 public:
  Rows() = default;
  /// `bytes` holds count × row_bytes.
  Rows(proto::Datatype datatype, std::size_t row_elements, std::size_t row_bytes, std::vector<std::byte> bytes);

  proto::Datatype datatype() const noexcept { return datatype_; }
  std::size_t count() const noexcept { return count_; }
  std::size_t row_elements() const noexcept { return row_elements_; }
  std::size_t row_bytes() const noexcept { return row_bytes_; }

  /// Makes every window of up to `rows` rows contiguous, whichever row below count() it starts at; the rows after the
  /// last are the first again. Invalidates spans taken before.
  void allow_windows(std::size_t rows);
  /// `rows` rows from row `first` (below count()) on; allow_windows() came before for more than fit.
  std::span<const std::byte> window(std::size_t first, std::size_t rows) const noexcept;

 private:
  proto::Datatype datatype_ = proto::Datatype::fp32;
  std::size_t row_elements_ = 0;
  std::size_t row_bytes_ = 0;
  std::size_t count_ = 0;
  std::vector<std::byte> bytes_;
};

/// A .npy file (format 1 to 3, C order, little-endian, fixed-size numbers or booleans) whose first dimension counts
/// rows.
Result<Rows> parse_npy(std::span<const std::byte> file);
/// The same from a file; the error names it.
Result<Rows> read_npy(const std::filesystem::path& path);

/// `count` rows for `tensor`, the same for the same seed: floats uniform in [-1, 1), integers in [0, 127], booleans,
/// and BYTES elements of eight letters. The tensor has no free dimension.
Rows random_rows(const TensorInfo& tensor, std::size_t count, std::uint64_t seed);

}  // namespace headrace::load
