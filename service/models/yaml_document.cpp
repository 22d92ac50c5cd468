#include "service/models/yaml_document.hpp"

#include <yaml-cpp/depthguard.h>
#include <yaml-cpp/eventhandler.h>

#include <sstream>
#include <utility>

#include "service/models/fault_text.hpp"

namespace headrace::models {
namespace {

std::string position(const YAML::Mark& mark) {
  if (mark.is_null()) return {};
  return "line " + std::to_string(mark.line + 1) + ", column " + std::to_string(mark.column + 1) + ": ";
}

/// Remembers where the last document began; everything else passes by.
class DocumentStarts final : public YAML::EventHandler {
 public:
  const YAML::Mark& last() const noexcept { return last_; }

  void OnDocumentStart(const YAML::Mark& mark) override { last_ = mark; }
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark&, YAML::anchor_t) override {}
  void OnAlias(const YAML::Mark&, YAML::anchor_t) override {}
  void OnScalar(const YAML::Mark&, const std::string&, YAML::anchor_t, const std::string&) override {}
  void OnSequenceStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnSequenceEnd() override {}
  void OnMapStart(const YAML::Mark&, const std::string&, YAML::anchor_t, YAML::EmitterStyle::value) override {}
  void OnMapEnd() override {}

 private:
  YAML::Mark last_ = YAML::Mark::null_mark();
};

/// What is wrong with the number of documents; empty when there is exactly one. Asks for two at most: the library turns
/// a token out of place into empty documents without end.
std::string count_fault(const std::string& text) {
  std::istringstream stream(text);
  YAML::Parser parser(stream);
  DocumentStarts starts;
  if (!parser.HandleNextDocument(starts)) return "expected a mapping of keys, got an empty file";
  if (!parser.HandleNextDocument(starts)) return {};
  return position(starts.last()) + "expected the end of the one YAML document, got more";
}

}  // namespace

tl::expected<YAML::Node, std::string> parse_yaml(std::string_view text) {
  if (text.size() > yaml_bytes_max) {
    return tl::unexpected("expected at most " + std::to_string(yaml_bytes_max) + " bytes, got " +
                          std::to_string(text.size()));
  }
  try {
    const std::string copy(text);
    if (std::string fault = count_fault(copy); !fault.empty()) return tl::unexpected(std::move(fault));
    return YAML::Load(copy);
  } catch (const YAML::DeepRecursion&) {
    return tl::unexpected<std::string>("expected YAML, got: brackets or lists nested too deeply");
  } catch (const YAML::Exception& error) {
    return tl::unexpected(position(error.mark) + "expected YAML, got: " + printable(error.msg));
  }
}

}  // namespace headrace::models
