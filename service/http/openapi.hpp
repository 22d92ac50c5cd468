#pragma once
// proto/openapi.yaml as JSON, put into the program when it is built (deploy/cmake/openapi.py).

#include <string_view>

namespace headrace::http {

extern const std::string_view openapi_json;

}  // namespace headrace::http
