#include "service/pipeline/request.hpp"

namespace headrace::pipeline {

void Request::release() noexcept {
  body.reset();
  decoded.reset();
  output.reset();
  bytes = {};
  place = {};
}

void Request::abandon() noexcept {
  body.abandon();
  decoded.abandon();
  output.abandon();
}

}  // namespace headrace::pipeline
