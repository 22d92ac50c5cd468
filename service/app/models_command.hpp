#pragma once

#include "service/app/config.hpp"

namespace headrace::app {

/// `headrace models`: lists the operators, or with --check loads a repository and reports. Exit status 1 when a model
/// is broken or the repository cannot be read.
int models_command(const ModelsConfig& config);

}  // namespace headrace::app
