#include "service/http/router.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace headrace::http {

namespace {

struct FixedRoute {
  std::string_view path;
  Method method;
  Route route;
};

constexpr std::array data_routes{
    FixedRoute{"/v2", Method::get, Route::server},
    FixedRoute{"/v2/health/live", Method::get, Route::live},
    FixedRoute{"/v2/health/ready", Method::get, Route::ready},
    FixedRoute{"/v2/models", Method::get, Route::model_list},
    FixedRoute{"/v2/models/stats", Method::get, Route::all_stats},
    FixedRoute{"/v2/repository/index", Method::post, Route::repository_index},
};
constexpr std::array admin_routes{
    FixedRoute{"/metrics", Method::get, Route::metrics},
    FixedRoute{"/openapi.json", Method::get, Route::openapi},
    FixedRoute{"/v2/health/live", Method::get, Route::live},
    FixedRoute{"/v2/health/ready", Method::get, Route::ready},
};
// What may follow /v2/models/M[/versions/V].
constexpr std::array model_routes{
    FixedRoute{"", Method::get, Route::model},
    FixedRoute{"/ready", Method::get, Route::model_ready},
    FixedRoute{"/config", Method::get, Route::model_config},
    FixedRoute{"/stats", Method::get, Route::model_stats},
    FixedRoute{"/infer", Method::post, Route::infer},
};

std::string_view allowed(Method method) { return method == Method::get ? "GET, HEAD" : "POST"; }

std::string_view path_of(std::string_view target) {
  // The absolute form, as proxies send it: its authority is not ours to judge.
  if (target.starts_with("http://") || target.starts_with("https://")) {
    const auto path = target.find('/', target.find("//") + 2);
    target = path == std::string_view::npos ? "/" : target.substr(path);
  }
  return target.substr(0, target.find('?'));
}

RouteMatch settle(const FixedRoute& route, Method method, RouteMatch match) {
  if (route.method == method) {
    match.route = route.route;
  } else {
    match.route = Route::method_not_allowed;
    match.allow = allowed(route.method);
  }
  return match;
}

template <std::size_t size>
RouteMatch match_fixed(const std::array<FixedRoute, size>& routes, Method method, std::string_view path,
                       RouteMatch match) {
  const auto found = std::find_if(routes.begin(), routes.end(), [path](const FixedRoute& r) { return r.path == path; });
  return found == routes.end() ? RouteMatch{} : settle(*found, method, std::move(match));
}

bool consume(std::string_view& path, std::string_view prefix) {
  if (!path.starts_with(prefix)) return false;
  path.remove_prefix(prefix.size());
  return true;
}

std::string_view take_segment(std::string_view& path) {
  const auto segment = path.substr(0, path.find('/'));
  path.remove_prefix(segment.size());
  return segment;
}

RouteMatch match_repository(Method method, std::string_view rest) {
  RouteMatch match;
  match.model = percent_decoded(take_segment(rest));
  if (match.model.empty() || (rest != "/load" && rest != "/unload")) return {};
  return settle({rest, Method::post, Route::repository_control}, method, std::move(match));
}

RouteMatch match_model(Method method, std::string_view rest) {
  RouteMatch match;
  match.model = percent_decoded(take_segment(rest));
  if (match.model.empty()) return {};
  if (consume(rest, "/versions/")) {
    match.version = take_segment(rest);
    const bool digits =
        std::all_of(match.version.begin(), match.version.end(), [](char c) { return c >= '0' && c <= '9'; });
    if (match.version.empty() || !digits) return {};
  }
  return match_fixed(model_routes, method, rest, std::move(match));
}

}  // namespace

RouteMatch match_data_route(Method method, std::string_view target) {
  const auto path = path_of(target);
  if (auto match = match_fixed(data_routes, method, path, {}); match.route != Route::not_found) return match;
  auto rest = path;
  if (consume(rest, "/v2/models/")) return match_model(method, rest);
  if (consume(rest, "/v2/repository/models/")) return match_repository(method, rest);
  return {};
}

RouteMatch match_admin_route(Method method, std::string_view target) {
  return match_fixed(admin_routes, method, path_of(target), {});
}

std::string percent_decoded(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned char byte = 0;
    if (text[i] == '%' && i + 2 < text.size() &&
        std::from_chars(text.data() + i + 1, text.data() + i + 3, byte, 16).ptr == text.data() + i + 3) {
      out.push_back(static_cast<char>(byte));
      i += 2;
    } else {
      out.push_back(text[i]);
    }
  }
  return out;
}

}  // namespace headrace::http
