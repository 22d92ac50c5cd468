#include "service/models/yaml_value.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "gpu/nearest_name.hpp"
#include "service/models/fault_text.hpp"

namespace headrace::models {
namespace {

std::string describe(const YAML::Node& node) {
  switch (node.Type()) {
    case YAML::NodeType::Undefined: return "no such key";
    case YAML::NodeType::Null: return "nothing";
    case YAML::NodeType::Scalar: return in_quotes(node.Scalar());
    case YAML::NodeType::Sequence:
      return node.size() == 0 ? "an empty list" : "a list of " + std::to_string(node.size());
    case YAML::NodeType::Map: return "a mapping of keys";
  }
  return "something else";
}

std::string below(const std::string& path, std::string_view key) {
  std::string joined = path;
  if (!joined.empty()) joined += '.';
  return joined += printable(key.substr(0, 80));
}

std::string list_expected(std::size_t count_min, std::size_t count_max) {
  if (count_min == count_max) return "a list of exactly " + std::to_string(count_min);
  return "a list of " + std::to_string(count_min) + " to " + std::to_string(count_max);
}

template <class T>
bool whole_text_is(const std::string& text, T& value) {
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, value);
  return error == std::errc() && stop == end;
}

}  // namespace

void YamlFault::add(std::string_view path, std::string_view message) {
  if (!empty()) return;
  message_ = path;
  if (!path.empty()) message_ += ": ";
  message_ += message;
}

void YamlValue::refuse(std::string_view expected) const {
  std::string message = "expected ";
  message.append(expected).append(", got ").append(describe(node_));
  fault_->add(path_, message);
}

bool YamlValue::is_mapping() const {
  if (!node_.IsMap()) refuse("a mapping of keys");
  return fault_->empty();
}

bool YamlValue::is_mapping_of(std::span<const std::string_view> known) const {
  if (!is_mapping()) return false;
  std::vector<std::string_view> seen;
  for (const auto& entry : node_) {
    if (!entry.first.IsScalar()) {
      fault_->add(path_, "expected keys that are text, got " + describe(entry.first));
      return false;
    }
    const std::string& key = entry.first.Scalar();
    const auto found = std::ranges::find(known, key);
    if (found == known.end()) {
      fault_->add(below(path_, key), "unknown key" + gpu::nearest_name_hint(key, known));
      return false;
    }
    if (std::ranges::find(seen, key) != seen.end()) {
      fault_->add(below(path_, key), "expected once, got twice");
      return false;
    }
    seen.push_back(*found);
  }
  return true;
}

YamlValue YamlValue::operator[](std::string_view key) const {
  // Not Node's own operator[], which throws for what is not a mapping.
  if (node_.IsMap()) {
    for (const auto& entry : node_) {
      if (entry.first.IsScalar() && entry.first.Scalar() == key) return {*fault_, entry.second, below(path_, key)};
    }
  }
  return {*fault_, YAML::Node(YAML::NodeType::Undefined), below(path_, key)};
}

std::vector<YamlValue> YamlValue::items(std::size_t count_min, std::size_t count_max) const {
  std::vector<YamlValue> items;
  if (!fault_->empty()) return items;
  if (!node_.IsSequence() || node_.size() < count_min || node_.size() > count_max) {
    refuse(list_expected(count_min, count_max));
    return items;
  }
  items.reserve(node_.size());
  for (const auto& node : node_) items.emplace_back(*fault_, node, path_ + "[" + std::to_string(items.size()) + "]");
  return items;
}

// A scalar in quotes is text, whatever stands between them.
bool YamlValue::is_plain() const { return node_.IsScalar() && node_.Tag() != "!"; }

bool YamlValue::refuse_unless_scalar(std::string_view expected) const {
  if (!fault_->empty()) return true;
  if (node_.IsScalar()) return false;
  refuse(expected);
  return true;
}

std::string YamlValue::text(std::string_view expected) const {
  if (refuse_unless_scalar(expected)) return {};
  return node_.Scalar();
}

bool YamlValue::boolean() const {
  if (refuse_unless_scalar("true or false")) return false;
  const std::string& text = node_.Scalar();
  if (is_plain() && (text == "true" || text == "false")) return text == "true";
  refuse("true or false");
  return false;
}

std::int64_t YamlValue::integer(std::int64_t min, std::int64_t max) const {
  const std::string expected = "a whole number from " + std::to_string(min) + " to " + std::to_string(max);
  if (refuse_unless_scalar(expected)) return min;
  std::int64_t value = 0;
  if (is_plain() && whole_text_is(node_.Scalar(), value) && value >= min && value <= max) return value;
  refuse(expected);
  return min;
}

double YamlValue::number() const {
  constexpr std::string_view expected = "a finite number";
  if (refuse_unless_scalar(expected)) return 0;
  double value = 0;
  if (is_plain() && whole_text_is(node_.Scalar(), value) && std::isfinite(value)) return value;
  refuse(expected);
  return 0;
}

}  // namespace headrace::models
