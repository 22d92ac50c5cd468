#pragma once

#include "service/app/config.hpp"

namespace headrace::app {

/// Runs the service to its end, and returns the exit status (lifetime.hpp).
int serve(const ServeConfig& config);

}  // namespace headrace::app
