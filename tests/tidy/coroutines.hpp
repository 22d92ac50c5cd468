#pragma once
// Habits that keep coroutines safe, by coarse patterns that are meant to give no false alarm.

#include "tests/tidy/source.hpp"

namespace headrace::tidy {

/// Every co_await is a statement of its own: alone, or the whole right side of a declaration, an assignment or
/// co_return. Refused: as an argument, in a condition or initialiser list, beside another one, as part of ?:, && or ||.
Findings check_awaits(const Source& source);
/// No lambda with a capture is a coroutine: the closure dies before the coroutine that reads it.
Findings check_lambda_coroutines(const Source& source);

}  // namespace headrace::tidy
