#include "gpu/gather.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace headrace::gpu {
namespace {

/// Requests of text: each row is `row_bytes` characters.
struct Requests {
  Requests(std::vector<std::string> texts, std::size_t row_bytes) : in(std::move(texts)) {
    for (const std::string& text : in) out.emplace_back(text.size(), '.');
    for (std::size_t i = 0; i < in.size(); ++i) {
      in_at.push_back(reinterpret_cast<const std::byte*>(in[i].data()));
      out_at.push_back(reinterpret_cast<std::byte*>(out[i].data()));
    }
    for (std::size_t i = 0; i < in.size(); ++i) {
      segments.push_back({{&in_at[i], 1}, {&out_at[i], 1}, static_cast<std::uint32_t>(in[i].size() / row_bytes)});
    }
  }
  std::vector<std::string> in, out;
  std::vector<const std::byte*> in_at;
  std::vector<std::byte*> out_at;
  std::vector<Segment> segments;
};

TEST(Gather, CursorPassesEmptySegments) {
  const Requests requests({"", "aabb", "", "cc", ""}, 2);
  const RowCursor start = RowCursor{}.advanced(requests.segments, 0);
  EXPECT_EQ(start, (RowCursor{1, 0}));
  EXPECT_EQ(start.advanced(requests.segments, 1), (RowCursor{1, 1}));
  EXPECT_EQ(start.advanced(requests.segments, 2), (RowCursor{3, 0}));
  EXPECT_EQ(start.advanced(requests.segments, 3), (RowCursor{5, 0}));
  EXPECT_EQ(RowCursor{}.advanced({}, 0), (RowCursor{0, 0}));
}

TEST(Gather, PacksAndScattersAcrossSegments) {
  Requests requests({"aabbcc", "", "dd", "eeff"}, 2);
  std::string tile(8, '.');
  const RowCursor from{0, 1};
  EXPECT_EQ(pack_rows(requests.segments, from, 4, 0, 2, reinterpret_cast<std::byte*>(tile.data())), 8u);
  EXPECT_EQ(tile, "bbccddee");
  const std::string answer = "BBCCDDEE";
  EXPECT_EQ(scatter_rows(requests.segments, from, 4, 0, 2, reinterpret_cast<const std::byte*>(answer.data())), 8u);
  EXPECT_EQ(requests.out, (std::vector<std::string>{"..BBCC", "", "DD", "EE.."}));
}

TEST(Gather, NoRowsAreNoBytes) {
  Requests requests({"", "aa"}, 2);
  EXPECT_EQ(pack_rows(requests.segments, {}, 0, 0, 2, nullptr), 0u);
  EXPECT_EQ(scatter_rows(requests.segments, {}, 0, 0, 2, nullptr), 0u);
  EXPECT_EQ(requests.out[1], "..");
}

}  // namespace
}  // namespace headrace::gpu
