#pragma once
// model.yaml → a description with typed parameters. Pure: opens no file and binds no operator.

#include <string>
#include <string_view>
#include <tl/expected.hpp>
#include <utility>
#include <variant>
#include <vector>

#include "gpu/program.hpp"
#include "service/models/model.hpp"

namespace headrace::models {

/// A parameter whose value is a tensor of the weights file.
struct WeightName {
  std::string name;
};
using DescribedValue = std::variant<bool, std::int64_t, double, std::string, WeightName>;

struct StepDescription {
  std::string op;
  std::vector<std::pair<std::string, DescribedValue>> parameters;  // in the order of the file
};

struct ModelDescription {
  std::string version = "1";
  std::vector<gpu::Port> inputs;
  std::vector<StepDescription> steps;
  std::vector<std::string> output_names;
  std::string weights;  // a path below the model's folder; empty: none
  BatchingOptions batching;
};

inline constexpr std::size_t steps_max = 256;
inline constexpr std::size_t row_rank_max = 15;                // the protocol's 16, less the batch dimension
inline constexpr std::size_t row_bytes_max = std::size_t{1} << 30U;
inline constexpr std::size_t version_digits_max = 18;

/// Error: one line that begins with the path of keys, "steps[1].scale: expected a finite number, got 'abc'".
tl::expected<ModelDescription, std::string> parse_model_yaml(std::string_view text);

}  // namespace headrace::models
