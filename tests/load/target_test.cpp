#include "load/target.hpp"

#include <gtest/gtest.h>

namespace headrace::load {
namespace {

TEST(Target, TakesUrlsApart) {
  const auto plain = parse_target("http://127.0.0.1:8000");
  ASSERT_TRUE(plain) << plain.error();
  EXPECT_EQ(plain->host, "127.0.0.1");
  EXPECT_EQ(plain->port, 8000);
  EXPECT_EQ(plain->prefix, "");
  EXPECT_EQ(plain->authority(), "127.0.0.1:8000");

  const auto full = parse_target("http://[::1]:9/proxy/a/");
  ASSERT_TRUE(full) << full.error();
  EXPECT_EQ(full->host, "::1");
  EXPECT_EQ(full->authority(), "[::1]:9");
  EXPECT_EQ(full->prefix, "/proxy/a");

  const auto named = parse_target("http://gpu-box/");
  ASSERT_TRUE(named) << named.error();
  EXPECT_EQ(named->port, 80);
  EXPECT_EQ(named->prefix, "");
}

TEST(Target, RefusesWhatItCannotReach) {
  for (const char* url : {"", "127.0.0.1:8000", "https://a", "http://", "http://:80", "http://a:", "http://a:0",
                          "http://a:65536", "http://a:8x", "http://u@a", "http://a/?q", "http://[::1", "http://[::1]8",
                          "http://a b", "http://a/\r\nX: y"}) {
    const auto target = parse_target(url);
    ASSERT_FALSE(target) << url;
    EXPECT_NE(target.error().find("--url"), std::string::npos);
  }
}

TEST(Target, EncodesModelNames) {
  const Target target{"a", 80, "/p"};
  EXPECT_EQ(target.model_path("digits-knn_1.2~", ""), "/p/v2/models/digits-knn_1.2~");
  EXPECT_EQ(target.model_path("a/b c\xc3\xa9", "3"), "/p/v2/models/a%2Fb%20c%C3%A9/versions/3");
}

}  // namespace
}  // namespace headrace::load
