#pragma once
// Method and target → route. Pure; exact path matches, a trailing slash is another path, the query string is ignored.

#include <cstdint>
#include <string>
#include <string_view>

#include "service/http/request_head.hpp"

namespace headrace::http {

enum class Route : std::uint8_t {
  // data plane
  live,
  ready,
  server,
  model_list,
  model,
  model_ready,
  model_config,
  model_stats,
  all_stats,
  infer,
  repository_index,
  repository_control,  // load and unload
  // admin plane
  metrics,
  openapi,
  // neither
  not_found,
  method_not_allowed,
};

struct RouteMatch {
  Route route = Route::not_found;
  std::string model;          // percent-decoded; empty where the route names none
  std::string version;        // digits; empty when the path names none
  std::string_view allow;     // for method_not_allowed: the methods of that path
};

RouteMatch match_data_route(Method method, std::string_view target);
RouteMatch match_admin_route(Method method, std::string_view target);

/// "a%20b" → "a b"; a malformed escape stays as it is.
std::string percent_decoded(std::string_view text);

}  // namespace headrace::http
