#pragma once
// Inference requests as text, for FP32 rows, and what came back; written against the protocol, not against our codec.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/support/http_client.hpp"

namespace headrace::support {

struct InferCase {
  std::string_view model = "digits";
  std::string_view input = "image";
  std::size_t columns = 64;
  std::string_view id = {};
  std::string_view parameters = {};  // further members of "parameters", such as "\"timeout\":1"
};

/// One whole request with binary tensors both ways.
std::string binary_infer_text(const InferCase& what, std::span<const float> values);
/// One whole request with JSON both ways.
std::string json_infer_text(const InferCase& what, std::span<const float> values);

/// The floats of the one output, from either form. Empty when the answer is not 200 or not of the expected form.
std::vector<float> answered_floats(const HttpAnswer& answer);
/// The "id" member's text; empty when there is none.
std::string answered_id(const HttpAnswer& answer);

}  // namespace headrace::support
