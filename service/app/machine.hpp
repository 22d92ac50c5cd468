#pragma once

#include "service/app/budgets.hpp"

namespace headrace::app {

/// Cores this process may use and memory it may take: of the machine, or of its control group where that is less.
MachineFacts read_machine();

}  // namespace headrace::app
