#include "proto/repository_index.hpp"

#include <gtest/gtest.h>

#include <string>

#include "proto/limits.hpp"

namespace headrace::proto {
namespace {

TEST(RepositoryIndex, empty_or_an_object) {
  for (const auto* body : {"", " \n", "{}", R"({"ready":false})", R"({"other":[1]})"}) {
    EXPECT_EQ(parse_repository_index(body).value(), false) << body;
  }
  EXPECT_EQ(parse_repository_index(R"({"ready":true})").value(), true);
}

TEST(RepositoryIndex, anything_else_is_refused) {
  for (const auto* body :
       {"[]", "true", "{", R"({"ready":1})", R"({"ready":"true"})", R"({"ready":null})", "{} {}", "{]"}) {
    const auto parsed = parse_repository_index(body);
    ASSERT_FALSE(parsed) << body;
    EXPECT_EQ(parsed.error().code, ErrorCode::invalid_argument);
  }
  const std::string deep = R"({"x":)" + std::string(10'000, '[') + std::string(10'000, ']') + "}";
  EXPECT_FALSE(parse_repository_index(deep));
  const auto large = parse_repository_index(std::string(repository_index_body_bytes_max + 1, ' '));
  ASSERT_FALSE(large);
  EXPECT_EQ(large.error().code, ErrorCode::payload_too_large);
}

}  // namespace
}  // namespace headrace::proto
