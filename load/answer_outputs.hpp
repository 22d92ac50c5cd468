#pragma once
// The body of an inference answer → its id and its outputs as plain little-endian elements, whether they came as blobs
// or as JSON. Not thread-safe; reuse one, it keeps its memory.

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "load/answer_reader.hpp"
#include "load/result.hpp"
#include "proto/datatype.hpp"
#include "proto/shape.hpp"

namespace headrace::load {

struct AnswerOutput {
  std::string name;
  proto::Datatype datatype = proto::Datatype::fp32;
  proto::Shape shape;
  std::span<const std::byte> bytes;  // BYTES as JSON: the text of its array
};

class AnswerOutputs {
 public:
  AnswerOutputs();
  ~AnswerOutputs();

  /// `text` is the answer's body and must be followed by padding (Connection::padding_bytes). Views last until the next
  /// call, or until `text` goes. The error names the field.
  Result<void> parse(const Answer& answer, std::string_view text);

  /// Empty when the answer has none.
  std::string_view id() const noexcept { return id_; }
  std::span<const AnswerOutput> items() const noexcept { return items_; }

 private:
  struct Impl;

  std::unique_ptr<Impl> impl_;
  std::string id_;
  std::vector<AnswerOutput> items_;
};

}  // namespace headrace::load
