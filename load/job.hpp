#pragma once
// What a run sends and what it expects back, made from the options and from what the server tells about the model.

#include <optional>

#include "load/answer_check.hpp"
#include "load/connection.hpp"
#include "load/options.hpp"
#include "load/payload.hpp"
#include "load/result.hpp"

namespace headrace::load {

struct Job {
  Payload payload;
  std::optional<Expectations> expectations;  // only where answers are checked
  std::size_t input_rows = 0;
};

/// Reads the model's metadata from `server` and files named by the options. The error names the option, the field or
/// the document, what was expected and what came.
Result<Job> prepare_job(const RunOptions& options, const Endpoint& server);

}  // namespace headrace::load
