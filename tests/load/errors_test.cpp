#include "load/errors.hpp"

#include <gtest/gtest.h>

namespace headrace::load {
namespace {

TEST(Errors, CountsByKindAndStatusAndKeepsTheFirstText) {
  Errors a;
  a.count(ErrorKind::timeout, "first");
  a.count(ErrorKind::timeout, "second");
  a.count_status(429, "full");
  Errors b;
  b.count(ErrorKind::connect, "refused");
  b.count_status(429, "later");
  b.count_status(404, "unknown");
  a.merge(b);
  EXPECT_EQ(a.total(), 6U);
  const auto entries = a.entries();
  ASSERT_EQ(entries.size(), error_kind_names.size() + 2);
  std::uint64_t sum = 0;
  for (const auto& entry : entries) sum += entry.count;
  EXPECT_EQ(sum, a.total());
  EXPECT_EQ(entries[0].name, "connect");
  EXPECT_EQ(entries[0].example, "refused");
  EXPECT_EQ(entries[2].name, "timeout");
  EXPECT_EQ(entries[2].count, 2U);
  EXPECT_EQ(entries[2].example, "first");
  EXPECT_EQ(entries[6].name, "http_404");
  EXPECT_EQ(entries[7].name, "http_429");
  EXPECT_EQ(entries[7].count, 2U);
  EXPECT_EQ(entries[7].example, "full");
}

}  // namespace
}  // namespace headrace::load
