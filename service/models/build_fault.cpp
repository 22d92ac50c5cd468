#include "service/models/build_fault.hpp"

#include <algorithm>
#include <charconv>
#include <cstddef>

#include "gpu/ops/catalogue.hpp"

namespace headrace::models {

std::string with_key_path(std::string_view program_message) {
  constexpr std::string_view begin = "step ";
  const std::size_t open = program_message.find(" (");
  const std::size_t close = program_message.find("): ");
  std::size_t number = 0;
  if (!program_message.starts_with(begin) || open == std::string_view::npos || close == std::string_view::npos ||
      close < open) {
    return std::string(program_message);
  }
  const std::string_view digits = program_message.substr(begin.size(), open - begin.size());
  const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
  if (error != std::errc() || stop != digits.data() + digits.size() || number == 0) return std::string(program_message);

  const std::string_view op_name = program_message.substr(open + 2, close - open - 2);
  const std::string_view rest = program_message.substr(close + 3);
  const std::string path = "steps[" + std::to_string(number - 1) + "]";
  if (const gpu::Operator* op = gpu::find_operator(op_name)) {
    const std::string_view key = rest.substr(0, rest.find(':'));
    const bool known =
        std::ranges::any_of(op->parameters, [key](const auto& parameter) { return parameter.name == key; });
    if (known) return path + "." + std::string(rest);
  }
  return path + " (" + std::string(op_name) + "): " + std::string(rest);
}

}  // namespace headrace::models
