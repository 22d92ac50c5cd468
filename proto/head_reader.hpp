#pragma once
// The JSON head of an infer request → InferRequest, without the blobs. Hides the JSON library from the rest.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "proto/infer_request.hpp"

namespace headrace::proto {

class HeadReader {
 public:
  HeadReader();
  ~HeadReader();

  /// `head` must be followed by body_padding_bytes readable bytes. Fills `request` except for the bytes of binary
  /// inputs, whose sizes it puts into `blob_bytes` (one entry per input, 0 for those with JSON data).
  Result<void> read(std::string_view head, InferRequest& request, std::vector<std::uint64_t>& blob_bytes);

 private:
  struct Library;
  std::unique_ptr<Library> library_;
};

}  // namespace headrace::proto
