#include "service/models/repository.hpp"

#include <algorithm>
#include <exception>
#include <optional>
#include <system_error>
#include <utility>

#include "gpu/nearest_name.hpp"
#include "service/models/build_fault.hpp"
#include "service/models/fault_text.hpp"
#include "service/models/mapped_file.hpp"
#include "service/models/model_yaml.hpp"
#include "service/models/safetensors.hpp"

namespace headrace::models {
namespace {

namespace fs = std::filesystem;

constexpr const char* model_file = "model.yaml";

std::string at(const fs::path& path, std::string_view message) {
  return printable(path.string()).append(": ").append(message);
}

std::string name_of(const fs::path& folder) {
  const fs::path path = fs::absolute(folder).lexically_normal();
  return (path.has_filename() ? path : path.parent_path()).filename().string();
}

bool is_model_name(std::string_view name) {
  return is_name(name) && name.front() != '.' && name.find('/') == std::string_view::npos;
}

/// Fills the folder's description in: weights by name, then the program.
class ModelBuilder {
 public:
  ModelBuilder(const fs::path& folder, ModelDescription description)
      : folder_(folder), description_(std::move(description)) {}

  tl::expected<std::shared_ptr<const gpu::Program>, std::string> build() {
    if (!description_.weights.empty()) {
      auto opened = Safetensors::open(folder_ / description_.weights);
      if (!opened) return tl::unexpected(at(folder_ / description_.weights, opened.error()));
      weights_ = std::move(*opened);
    }
    gpu::ProgramSpec spec;
    spec.inputs = description_.inputs;
    spec.output_names = description_.output_names;
    spec.name = folder_.filename().string();
    for (std::size_t i = 0; i < description_.steps.size(); ++i) {
      auto step = bind(i);
      if (!step) return tl::unexpected(at(folder_ / model_file, step.error()));
      spec.steps.push_back(std::move(*step));
    }
    auto program = gpu::Program::build(std::move(spec));
    if (!program) return tl::unexpected(at(folder_ / model_file, with_key_path(program.error().message)));
    return std::move(*program);
  }

 private:
  tl::expected<gpu::StepSpec, std::string> bind(std::size_t index) const {
    const StepDescription& described = description_.steps[index];
    gpu::StepSpec step{described.op, {}};
    for (const auto& [key, value] : described.parameters) {
      if (const auto* weight = std::get_if<WeightName>(&value)) {
        auto tensor = find(weight->name);
        if (!tensor) return tl::unexpected("steps[" + std::to_string(index) + "]." + key + ": " + tensor.error());
        step.parameters.emplace(key, std::move(*tensor));
        continue;
      }
      std::visit([&, &name = key](const auto& plain) { insert(step, name, plain); }, value);
    }
    return step;
  }

  template <class T>
  static void insert(gpu::StepSpec& step, const std::string& key, const T& value) {
    step.parameters.emplace(key, value);
  }
  static void insert(gpu::StepSpec&, const std::string&, const WeightName&) {}

  tl::expected<gpu::HostTensor, std::string> find(const std::string& name) const {
    if (!weights_) {
      return tl::unexpected("expected the key 'weights' to name the file that holds " + in_quotes(name) +
                            ", got no such key");
    }
    if (auto tensor = weights_->tensor(name)) return std::move(*tensor);
    const auto names = weights_->names();
    std::string message = "expected a tensor of " + printable(description_.weights) + ", got " + in_quotes(name);
    if (const auto nearest = gpu::nearest_name(name, names)) message += "; did you mean " + in_quotes(*nearest) + "?";
    return tl::unexpected(std::move(message));
  }

  const fs::path& folder_;
  ModelDescription description_;
  std::optional<Safetensors> weights_;
};

tl::expected<Model, std::string> load(const fs::path& folder, const std::string& name) {
  if (!is_model_name(name)) {
    return tl::unexpected(
        at(folder,
           "expected a folder name of 1 to 255 bytes of UTF-8 without control characters or '/' that does not begin "
           "with '.', got " +
               in_quotes(name)));
  }
  const auto file = MappedFile::open(folder / model_file);
  if (!file) return tl::unexpected(at(folder / model_file, file.error()));
  const auto bytes = (*file)->bytes();
  auto description = parse_model_yaml({reinterpret_cast<const char*>(bytes.data()), bytes.size()});
  if (!description) return tl::unexpected(at(folder / model_file, description.error()));
  Model model;
  model.name = name;
  model.version = description->version;
  model.batching = description->batching;
  auto program = ModelBuilder(folder, std::move(*description)).build();
  if (!program) return tl::unexpected(std::move(program.error()));
  model.program = std::move(*program);
  return model;
}

/// Whether that entry of the repository is to be loaded; a message when that cannot be told.
tl::expected<bool, std::string> is_model_folder(const fs::path& entry) {
  std::error_code error;
  const fs::file_status status = fs::status(entry, error);
  if (status.type() == fs::file_type::none || status.type() == fs::file_type::not_found) {
    return tl::unexpected(at(entry, "expected a readable folder, got: " + error.message()));
  }
  if (status.type() != fs::file_type::directory) return false;
  // Not followed: a link model.yaml that leads nowhere is a mistake to report.
  const fs::file_status file = fs::symlink_status(entry / model_file, error);
  if (file.type() == fs::file_type::none) {
    return tl::unexpected(at(entry, "expected a readable folder, got: " + error.message()));
  }
  return file.type() != fs::file_type::not_found;
}

}  // namespace

tl::expected<Model, ModelFault> load_model(const std::filesystem::path& folder) {
  const std::string name = name_of(folder);
  try {
    auto model = load(folder, name);
    if (model) return std::move(*model);
    return tl::unexpected(ModelFault{name, std::move(model.error())});
  } catch (const std::exception& error) {
    // What a package throws for want of memory must not keep the other models from loading.
    return tl::unexpected(ModelFault{name, at(folder, std::string("cannot be loaded: ") + error.what())});
  }
}

Repository load_repository(const std::filesystem::path& directory) {
  Repository repository;
  std::vector<fs::path> entries;
  std::error_code error;
  for (fs::directory_iterator next(directory, error), end; !error && next != end; next.increment(error)) {
    entries.push_back(next->path());
  }
  if (error) {
    repository.faults.push_back({"", at(directory, "expected a readable folder of models, got: " + error.message())});
    return repository;
  }
  std::ranges::sort(entries, {}, [](const fs::path& entry) { return entry.filename().string(); });
  for (const fs::path& entry : entries) {
    const auto wanted = is_model_folder(entry);
    if (!wanted) {
      repository.faults.push_back({entry.filename().string(), wanted.error()});
      continue;
    }
    if (!*wanted) continue;
    auto model = load_model(entry);
    if (model) {
      repository.models.push_back(std::move(*model));
    } else {
      repository.faults.push_back(std::move(model.error()));
    }
  }
  return repository;
}

}  // namespace headrace::models
