#include "service/http/router.hpp"

#include <gtest/gtest.h>

#include <set>
#include <span>
#include <string>
#include <utility>

namespace headrace::http {
namespace {

struct Expected {
  Method method;
  std::string_view target;
  Route route;
  std::string model = {};
  std::string version = {};
};

void expect_all(RouteMatch (*match)(Method, std::string_view), std::span<const Expected> table) {
  for (const auto& row : table) {
    const auto found = match(row.method, row.target);
    EXPECT_EQ(found.route, row.route) << row.target;
    EXPECT_EQ(found.model, row.model) << row.target;
    EXPECT_EQ(found.version, row.version) << row.target;
  }
}

TEST(Router, EveryRouteOfTheDataPlane) {
  const Expected table[] = {
      {Method::get, "/v2", Route::server},
      {Method::get, "/v2/health/live", Route::live},
      {Method::get, "/v2/health/ready", Route::ready},
      {Method::get, "/v2/models", Route::model_list},
      {Method::get, "/v2/models/stats", Route::all_stats},
      {Method::post, "/v2/repository/index", Route::repository_index},
      {Method::get, "/v2/models/m", Route::model, "m"},
      {Method::get, "/v2/models/m/ready", Route::model_ready, "m"},
      {Method::get, "/v2/models/m/config", Route::model_config, "m"},
      {Method::get, "/v2/models/m/stats", Route::model_stats, "m"},
      {Method::post, "/v2/models/m/infer", Route::infer, "m"},
      {Method::get, "/v2/models/m/versions/1", Route::model, "m", "1"},
      {Method::get, "/v2/models/m/versions/12/ready", Route::model_ready, "m", "12"},
      {Method::get, "/v2/models/m/versions/3/config", Route::model_config, "m", "3"},
      {Method::get, "/v2/models/m/versions/4/stats", Route::model_stats, "m", "4"},
      {Method::post, "/v2/models/m/versions/007/infer", Route::infer, "m", "007"},
      {Method::post, "/v2/repository/models/m/load", Route::repository_control, "m"},
      {Method::post, "/v2/repository/models/m/unload", Route::repository_control, "m"},
  };
  expect_all(match_data_route, table);
}

TEST(Router, EveryRouteOfTheAdminPlane) {
  const Expected table[] = {
      {Method::get, "/metrics", Route::metrics},
      {Method::get, "/openapi.json", Route::openapi},
      {Method::get, "/v2/health/live", Route::live},
      {Method::get, "/v2/health/ready", Route::ready},
      {Method::get, "/v2/models", Route::not_found},
      {Method::get, "/metrics/", Route::not_found},
      {Method::get, "/metrics?x=/", Route::metrics},
      {Method::get, "/v2", Route::not_found},
      {Method::post, "/metrics", Route::method_not_allowed},
  };
  expect_all(match_admin_route, table);
  EXPECT_EQ(match_data_route(Method::get, "/metrics").route, Route::not_found);
}

TEST(Router, AnythingElseIsNotFound) {
  for (const std::string_view target : {"",
                                        "/",
                                        "*",
                                        "/v1",
                                        "/V2",
                                        "/v2x",
                                        "v2",
                                        "/v2/",
                                        "/v2/health",
                                        "/v2/health/live/",
                                        "/v2/health/ready/x",
                                        "/v2/models/",
                                        "/v2/models/m/",
                                        "/v2/models//infer",
                                        "/v2/models/m/infer/",
                                        "/v2/models/m/infer/x",
                                        "/v2/models/m/Infer",
                                        "/v2/models/m/versions",
                                        "/v2/models/m/versions/",
                                        "/v2/models/m/versions//infer",
                                        "/v2/models/m/versions/a",
                                        "/v2/models/m/versions/1a/infer",
                                        "/v2/models/m/versions/-1",
                                        "/v2/models/m/versions/1.0",
                                        "/v2/models/m/versions/%31",
                                        "/v2/models/m/versions/1/",
                                        "/v2/models/m/versions/1/versions/1",
                                        "/v2//models",
                                        "/v2/repository",
                                        "/v2/repository/index/",
                                        "/v2/repository/models/m",
                                        "/v2/repository/models//load",
                                        "/v2/repository/models/m/reload",
                                        "/v2/repository/models/m/load/",
                                        "/v2%2Fmodels"}) {
    for (const auto method : {Method::get, Method::post, Method::other}) {
      const auto match = match_data_route(method, target);
      EXPECT_EQ(match.route, Route::not_found) << target;
      EXPECT_EQ(match.allow, "") << target;
    }
  }
}

TEST(Router, TheWrongMethodIsToldTheRightOne) {
  for (const std::string_view target : {"/v2", "/v2/health/live", "/v2/health/ready", "/v2/models", "/v2/models/stats",
                                        "/v2/models/m", "/v2/models/m/ready", "/v2/models/m/versions/1/config"}) {
    for (const auto method : {Method::post, Method::other}) {
      const auto match = match_data_route(method, target);
      EXPECT_EQ(match.route, Route::method_not_allowed) << target;
      EXPECT_EQ(match.allow, "GET, HEAD") << target;
    }
  }
  for (const std::string_view target : {"/v2/models/m/infer", "/v2/models/m/versions/1/infer", "/v2/repository/index",
                                        "/v2/repository/models/m/load"}) {
    for (const auto method : {Method::get, Method::other}) {
      const auto match = match_data_route(method, target);
      EXPECT_EQ(match.route, Route::method_not_allowed) << target;
      EXPECT_EQ(match.allow, "POST") << target;
    }
  }
}

TEST(Router, TheQueryIsIgnored) {
  const Expected table[] = {
      {Method::get, "/v2?", Route::server},
      {Method::get, "/v2?a=b/c", Route::server},
      {Method::post, "/v2/models/m/infer?x=/ready", Route::infer, "m"},
      {Method::get, "/v2/models/m?/config", Route::model, "m"},
      {Method::get, "/v2/models/?m", Route::not_found},
      {Method::get, "/v2/models/m/versions/1?2", Route::model, "m", "1"},
  };
  expect_all(match_data_route, table);
}

TEST(Router, ModelNamesArePercentDecoded) {
  const Expected table[] = {
      {Method::get, "/v2/models/a%20b", Route::model, "a b"},
      {Method::post, "/v2/models/%6D/infer", Route::infer, "m"},
      {Method::get, "/v2/models/a%2Fb/ready", Route::model_ready, "a/b"},  // one segment still
      {Method::get, "/v2/models/%3F", Route::model, "?"},
      {Method::get, "/v2/models/st%61ts", Route::model, "stats"},
      {Method::post, "/v2/repository/models/%41/load", Route::repository_control, "A"},
  };
  expect_all(match_data_route, table);
}

TEST(Router, PercentDecoding) {
  const std::pair<std::string_view, std::string> table[] = {
      {"", ""},
      {"abc", "abc"},
      {"%41", "A"},
      {"x%41", "xA"},
      {"%41%42", "AB"},
      {"%e2%82%ac", "\xe2\x82\xac"},
      {"%E2", "\xe2"},
      {"%", "%"},
      {"%4", "%4"},
      {"a%4", "a%4"},
      {"%%41", "%A"},
      {"%4g", "%4g"},
      {"%g4", "%g4"},
      {"% 4", "% 4"},
      {"%-1", "%-1"},
      {"%+1", "%+1"},
      {"%2541", "%41"},
      {"a+b", "a+b"},
      {"%00", std::string(1, '\0')},
  };
  for (const auto& [text, decoded] : table) EXPECT_EQ(percent_decoded(text), decoded) << text;
}

TEST(Router, EveryByteDecodesInBothCases) {
  constexpr std::string_view upper = "0123456789ABCDEF";
  constexpr std::string_view lower = "0123456789abcdef";
  std::set<std::string> seen;
  for (std::size_t byte = 0; byte < 256; ++byte) {
    const std::string wanted(1, static_cast<char>(byte));
    for (const auto digits : {upper, lower}) {
      const std::string text{'%', digits[byte / 16], digits[byte % 16]};
      EXPECT_EQ(percent_decoded(text), wanted) << text;
    }
    seen.insert(wanted);
  }
  EXPECT_EQ(seen.size(), 256u);
}

TEST(Router, TheAbsoluteFormNamesTheSamePath) {
  EXPECT_EQ(match_data_route(Method::get, "http://host:8000/v2/health/live?x").route, Route::live);
  EXPECT_EQ(match_data_route(Method::get, "http://host:8000").route, Route::not_found);
}

}  // namespace
}  // namespace headrace::http
