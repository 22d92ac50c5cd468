#include "service/models/model_yaml.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <limits>
#include <optional>

#include "gpu/nearest_name.hpp"
#include "gpu/ops/catalogue.hpp"
#include "service/models/fault_text.hpp"
#include "service/models/yaml_document.hpp"
#include "service/models/yaml_value.hpp"

namespace headrace::models {
namespace {

constexpr std::array<std::string_view, 6> model_keys = {"version", "inputs", "steps", "outputs", "weights", "batching"};
constexpr std::array<std::string_view, 3> input_keys = {"name", "datatype", "shape"};
constexpr std::array<std::string_view, 1> output_keys = {"name"};
constexpr std::array<std::string_view, 4> batching_keys = {"max_batch_size", "max_queue_delay_us", "max_queue_size",
                                                           "timeout_us"};

std::vector<std::string_view> element_names() {
  std::vector<std::string_view> names;
  for (int i = 0; i <= static_cast<int>(gpu::ElementType::f64); ++i) {
    names.push_back(gpu::element_name(static_cast<gpu::ElementType>(i)));
  }
  return names;
}

std::vector<std::string_view> operator_names() {
  std::vector<std::string_view> names;
  for (const gpu::Operator* op : gpu::catalogue()) names.push_back(op->name);
  return names;
}

class ModelReader {
 public:
  explicit ModelReader(const YAML::Node& document) : root_(fault_, document, "") {}

  tl::expected<ModelDescription, std::string> read() {
    if (root_.is_mapping_of(model_keys)) {
      version();
      inputs();
      steps();
      outputs();
      weights();
      batching();
    }
    if (!fault_.empty()) return tl::unexpected(fault_.message());
    return std::move(model_);
  }

 private:
  void version() {
    const YamlValue value = root_["version"];
    if (!value.given()) return;
    const std::string expected = "1 to " + std::to_string(version_digits_max) + " digits";
    const std::string text = value.text(expected);
    const bool digits = std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
    if (text.empty() || text.size() > version_digits_max || !digits) value.refuse(expected);
    model_.version = text;
  }

  void inputs() {
    for (const YamlValue& input : root_["inputs"].items(1, 1)) {
      if (!input.is_mapping_of(input_keys)) return;
      model_.inputs.push_back({name(input["name"]), {element(input["datatype"]), {}}});
      row_shape(input["shape"], model_.inputs.back().type);
    }
  }

  void outputs() {
    for (const YamlValue& output : root_["outputs"].items(1, 1)) {
      if (!output.is_mapping_of(output_keys)) return;
      model_.output_names.push_back(name(output["name"]));
    }
  }

  static std::string name(const YamlValue& value) {
    std::string text = value.text("a name");
    if (!is_name(text)) value.refuse(name_expected);
    return text;
  }

  gpu::ElementType element(const YamlValue& value) {
    const std::string text = value.text("a datatype");
    if (!fault_.empty()) return gpu::ElementType::f32;
    const auto names = element_names();
    const auto found = std::ranges::find(names, text);
    if (found != names.end()) return static_cast<gpu::ElementType>(found - names.begin());
    if (text == "BYTES") {
      value.refuse("a datatype of fixed size");
    } else {
      fault_.add(value.path(), "unknown datatype " + in_quotes(text) + gpu::nearest_name_hint(text, names));
    }
    return gpu::ElementType::f32;
  }

  void row_shape(const YamlValue& value, gpu::TensorType& type) {
    std::size_t bytes = gpu::element_bytes(type.element);
    for (const YamlValue& item : value.items(0, row_rank_max)) {
      const std::int64_t dimension = item.integer(1, static_cast<std::int64_t>(row_bytes_max));
      type.row_shape.push_back(dimension);
      bytes *= static_cast<std::size_t>(
          dimension);  // cannot overflow: both are at most 2^30, give or take an element's size
      if (bytes > row_bytes_max) {
        fault_.add(value.path(), "expected a row of at most " + std::to_string(row_bytes_max) + " bytes, got more");
        return;
      }
    }
  }

  void steps() {
    for (const YamlValue& step : root_["steps"].items(1, steps_max)) {
      if (!this->step(step)) return;
    }
  }

  bool step(const YamlValue& step) {
    if (!step.is_mapping()) return false;
    // The operator first: the table that says which other keys there are is its own.
    const YamlValue op_value = step["op"];
    const std::string op_name = op_value.text("the name of an operator");
    if (!fault_.empty()) return false;
    const gpu::Operator* const op = gpu::find_operator(op_name);
    if (op == nullptr) {
      fault_.add(op_value.path(),
                 "unknown operator " + in_quotes(op_name) + gpu::nearest_name_hint(op_name, operator_names()));
      return false;
    }
    std::vector<std::string_view> keys = {"op"};
    for (const auto& parameter : op->parameters) keys.push_back(parameter.name);
    if (!step.is_mapping_of(keys)) return false;

    StepDescription described{op_name, {}};
    for (const auto& parameter : op->parameters) {
      const YamlValue value = step[parameter.name];
      if (value.given()) {
        described.parameters.emplace_back(parameter.name, parameter_value(value, parameter.kind));
      } else if (parameter.required) {
        value.refuse(parameter.meaning);
      }
    }
    model_.steps.push_back(std::move(described));
    return fault_.empty();
  }

  static DescribedValue parameter_value(const YamlValue& value, gpu::ParameterKind kind) {
    switch (kind) {
      case gpu::ParameterKind::boolean: return value.boolean();
      case gpu::ParameterKind::integer:
        return value.integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max());
      case gpu::ParameterKind::number: return value.number();
      case gpu::ParameterKind::text: return value.text("a text");
      case gpu::ParameterKind::weight: return WeightName{value.text("the name of a tensor")};
    }
    return false;
  }

  void weights() {
    const YamlValue value = root_["weights"];
    if (!value.given()) return;
    model_.weights = value.text("a file in the model's folder");
    const std::filesystem::path path(model_.weights);
    const bool climbs = std::ranges::find(path, std::filesystem::path("..")) != path.end();
    if (!is_name(model_.weights) || path.is_absolute() || climbs) value.refuse("a file in the model's folder");
  }

  void batching() {
    const YamlValue value = root_["batching"];
    if (!value.given() || !value.is_mapping_of(batching_keys)) return;
    number(value["max_batch_size"], 1, max_batch_size_max, model_.batching.max_batch_size);
    number(value["max_queue_delay_us"], 0, max_queue_delay_us_max, model_.batching.max_queue_delay_us);
    number(value["max_queue_size"], 1, max_queue_size_max, model_.batching.max_queue_size);
    number(value["timeout_us"], 0, timeout_us_max, model_.batching.timeout_us);
  }

  template <class T>
  static void number(const YamlValue& value, std::int64_t min, std::int64_t max, T& destination) {
    if (value.given()) destination = static_cast<T>(value.integer(min, max));
  }

  YamlFault fault_;
  YamlValue root_;
  ModelDescription model_;
};

}  // namespace

tl::expected<ModelDescription, std::string> parse_model_yaml(std::string_view text) {
  auto document = parse_yaml(text);
  if (!document) return tl::unexpected(std::move(document.error()));
  return ModelReader(*document).read();
}

}  // namespace headrace::models
