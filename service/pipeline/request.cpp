#include "service/pipeline/request.hpp"

namespace headrace::pipeline {

void Request::reset() noexcept {
  release();
  state.reset();
  model.reset();
  head.clear();
  selection = {};
  error.reset();
  rows = 0;
  input_count = output_count = 0;
  deadline = {};
  body_offset = body_bytes = text_bytes = 0;
  json_bytes.reset();
  home = nullptr;
  delivered_ = left_ = false;
}

void Request::release() noexcept {
  release_memory();
  place = {};
}

void Request::release_memory() noexcept {
  body.reset();
  decoded.reset();
  output.reset();
  bytes = {};
}

void Request::abandon() noexcept {
  body.abandon();
  decoded.abandon();
  output.abandon();
}

}  // namespace headrace::pipeline
