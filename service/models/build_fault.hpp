#pragma once
// A program's fault in the words of model.yaml: "step 2 (linear): weight: expected …" → "steps[1].weight: expected …".

#include <string>
#include <string_view>

namespace headrace::models {

/// Any other message comes back as it is.
std::string with_key_path(std::string_view program_message);

}  // namespace headrace::models
