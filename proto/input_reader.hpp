#pragma once
// One object of the request's `inputs` → InputTensor. Included by sources only: it brings the JSON library.

#include <cstdint>
#include <string_view>

#include "proto/head_fields.hpp"
#include "proto/infer_request.hpp"

namespace headrace::proto::head {

class InputReader {
 public:
  /// `text` is the whole head.
  InputReader(InputTensor& input, std::string_view text) noexcept;

  /// Fills the tensor, but for the bytes of a binary one.
  Result<void> read(ondemand::value value);
  /// Size of the blob that follows the head for this input; 0 with JSON data.
  std::uint64_t blob_bytes() const noexcept { return blob_bytes_; }

 private:
  Result<void> field(std::string_view key, ondemand::value value);
  Result<void> datatype(ondemand::value value);
  Result<void> shape(ondemand::value value);
  Result<void> dimension(ondemand::value value);
  Result<void> data(ondemand::value value);
  Result<void> parameter(std::string_view key, ondemand::value value);
  Result<void> finish();
  auto at(std::string_view name) const;

  InputTensor& input_;
  std::string_view text_;
  Keys<5> keys_;
  std::uint64_t blob_bytes_ = 0;
};

}  // namespace headrace::proto::head
