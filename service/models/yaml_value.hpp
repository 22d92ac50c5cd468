#pragma once
// Typed access to a YAML document that knows where it is: every value carries the path of keys that leads to it
// ("steps[1].weight"), and a mistake becomes one line with path, expected and got.
//
// The first mistake is kept by the document's YamlFault; from then on accessors return fallbacks and stay silent. So a
// reader asks for everything in order and looks at the fault once, at the end. Nothing here throws except
// std::bad_alloc.

#include <yaml-cpp/yaml.h>

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace headrace::models {

class YamlFault {
 public:
  /// "path: message"; only the first is kept.
  void add(std::string_view path, std::string_view message);
  bool empty() const noexcept { return message_.empty(); }
  const std::string& message() const noexcept { return message_; }

 private:
  std::string message_;
};

/// A view; the fault must outlive it. Cheap to copy (nodes share their document).
class YamlValue {
 public:
  YamlValue(YamlFault& fault, const YAML::Node& node, std::string path)
      : fault_(&fault), node_(node), path_(std::move(path)) {}

  /// False when the key is absent. A key with an empty value is given.
  bool given() const { return node_.IsDefined(); }
  const std::string& path() const noexcept { return path_; }

  /// "path: expected …, got …" with what this value is.
  void refuse(std::string_view expected) const;

  /// True for a mapping, whatever its keys; otherwise false and a fault.
  bool is_mapping() const;
  /// A mapping whose keys are all known and given once; false (and a fault) otherwise.
  bool is_mapping_of(std::span<const std::string_view> known) const;
  /// That key of a mapping; a value that is not given when it is absent.
  YamlValue operator[](std::string_view key) const;
  /// A list of `count_min` to `count_max` values; empty (and a fault) otherwise.
  std::vector<YamlValue> items(std::size_t count_min, std::size_t count_max) const;

  std::string text(std::string_view expected) const;
  bool boolean() const;
  std::int64_t integer(std::int64_t min, std::int64_t max) const;
  double number() const;

 private:
  bool is_plain() const;
  bool refuse_unless_scalar(std::string_view expected) const;

  YamlFault* fault_;
  YAML::Node node_;
  std::string path_;
};

}  // namespace headrace::models
