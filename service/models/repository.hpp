#pragma once
// The model repository: a folder of model folders. A broken model is reported and never keeps the others from serving.

#include <filesystem>
#include <string>
#include <tl/expected.hpp>
#include <vector>

#include "service/models/model.hpp"

namespace headrace::models {

/// One line: "deploy/models/digits/model.yaml: steps[1].weight: expected a tensor of weights.safetensors, got 'fc9'".
struct ModelFault {
  std::string model;
  std::string message;
};

struct Repository {
  std::vector<Model> models;       // sorted by name
  std::vector<ModelFault> faults;  // sorted by name
};

/// Loads every folder that holds a model.yaml. A directory that cannot be read is one fault with an empty model name.
Repository load_repository(const std::filesystem::path& directory);
/// Loads one model folder.
tl::expected<Model, ModelFault> load_model(const std::filesystem::path& folder);

}  // namespace headrace::models
