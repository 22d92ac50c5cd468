#pragma once
// Words that must not appear, each with where and why.

#include "tests/tidy/source.hpp"

namespace headrace::tidy {

/// Default streams, waiting for a device, namespaces opened in headers, raw new and delete, standard output from
/// library code, sleeping in tests, coroutines that nobody watches.
Findings check_banned_words(const Source& source);
/// Every kernel launch names its stream: <<<grid, block, shared bytes, stream>>>, and the stream is not 0.
Findings check_launches(const Source& source);

}  // namespace headrace::tidy
