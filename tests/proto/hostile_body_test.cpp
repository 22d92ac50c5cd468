// Bodies that were cut or changed: an error or a request, never a crash, never a read beyond body and padding.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>

#include "proto/json_scan.hpp"
#include "tests/proto/body.hpp"

namespace headrace::proto {
namespace {

using test::Body;
using test::Parsed;

const std::string head =
    R"({"id":"\u00e9-1","x":{"a":[1,{"b":null}]},"inputs":[{"name":"a","datatype":"FP32","shape":[1,2],)"
    R"("parameters":{"binary_data_size":8}},{"name":"j","shape":[2,2],"datatype":"FP64","data":[[1.5,-2e3],[0,1e-7]]},)"
    R"({"name":"s","datatype":"BYTES","shape":[2],"parameters":{"binary_data_size":11}}],)"
    R"("outputs":[{"name":"y","parameters":{"binary_data":true,"classification":3}}],)"
    R"("parameters":{"timeout":5,"k":"v"}})";
const std::string blobs("\0\0\x80\x3f\0\0\0\x40\x03\0\0\0abc\0\0\0\0", 19);

// Parses and, where that works, decodes all JSON data, as the service does.
bool survives(std::string_view content, std::optional<std::size_t> json_bytes) {
  static InferRequestParser parser;
  InferRequest request;
  const Body body(content);
  if (!parser.parse(body.bytes(), json_bytes, request)) return false;
  for (const auto& input : request.inputs) {
    if (input.binary || input.datatype == Datatype::bytes) continue;
    const auto count = static_cast<std::size_t>(input.shape.elements().value());
    EXPECT_LE(count, content.size());
    std::vector<std::byte> destination(count * traits(input.datatype).item_bytes);
    if (!decode_json_data(input, destination)) return false;
  }
  // What was taken is JSON by the strict scanner too: the library's laxness did not get through.
  const auto taken = content.substr(0, json_bytes.value_or(content.size()));
  EXPECT_NE(check_json(taken).fault, JsonCheck::Fault::malformed) << taken;
  return true;
}

TEST(HostileBody, the_whole_one_is_good) { EXPECT_TRUE(survives(head + blobs, head.size())); }

TEST(HostileBody, every_prefix_is_an_error) {
  const auto whole = head + blobs;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    const auto prefix = std::string_view(whole).substr(0, size);
    EXPECT_FALSE(survives(prefix, head.size())) << size;
    EXPECT_FALSE(survives(prefix, std::min(size, head.size()))) << size;
    EXPECT_FALSE(survives(prefix, std::nullopt)) << size;
  }
}

TEST(HostileBody, every_wrong_json_length_is_an_error) {
  const auto whole = head + blobs;
  for (std::size_t length = 0; length <= whole.size() + 1; ++length) {
    EXPECT_EQ(survives(whole, length), length == head.size()) << length;
  }
}

TEST(HostileBody, random_changes_never_crash) {
  std::mt19937 random(20);
  const auto pick = [&random](std::size_t below) {
    return std::uniform_int_distribution<std::size_t>(0, below - 1)(random);
  };
  constexpr std::string_view pieces[] = {"\"",         "\\",    "{",         "}",
                                         "[",          "]",     ",",         ":",
                                         "-",          "1e400", "null",      "99999999999999999999",
                                         "\\ud800",    "\xff",  "[[[[",      "18446744073709551615",
                                         "4294967296", " ",     "\"data\":", "\\u00"};
  std::size_t accepted = 0;
  for (int round = 0; round < 40'000; ++round) {
    auto text = head + blobs;
    for (auto changes = 1 + pick(4); changes != 0; --changes) {
      const auto at = pick(text.size());
      switch (pick(4)) {
        case 0: text[at] = static_cast<char>(pick(256)); break;
        case 1: text.insert(at, pieces[pick(std::size(pieces))]); break;
        case 2: text.erase(at, 1 + pick(8)); break;
        default: text.insert(at, text.substr(pick(text.size()), pick(40))); break;
      }
    }
    accepted += survives(text, text.size() < blobs.size() ? text.size() : text.size() - blobs.size());
  }
  EXPECT_GT(accepted, 0U);
  EXPECT_LT(accepted, 40'000U);
}

TEST(HostileBody, deep_nesting_is_an_error_in_bounded_memory_wherever_it_stands) {
  for (const std::size_t depth :
       {std::size_t{101}, std::size_t{10'000}, std::size_t{100'000}, std::size_t{1'000'000}}) {
    const auto arrays = std::string(depth, '[') + std::string(depth, ']');
    std::string objects;
    for (std::size_t i = 0; i < depth; ++i) objects += R"({"a":)";
    objects += "1" + std::string(depth, '}');
    for (const auto& deep : {arrays, objects, std::string(depth, '['), std::string(depth, '{')}) {
      EXPECT_FALSE(survives(deep, std::nullopt));
      EXPECT_FALSE(survives(R"({"inputs":[],"unknown":)" + deep + "}", std::nullopt));
      EXPECT_FALSE(
          survives(R"({"inputs":[{"unknown":)" + deep + R"(,"name":"x","datatype":"UINT8","shape":[0],"data":[]}]})",
                   std::nullopt));
      EXPECT_FALSE(survives(R"({"inputs":[],"parameters":{"p":)" + deep + "}}", std::nullopt));
      EXPECT_FALSE(survives(R"({"inputs":[],"outputs":[{"name":"y","parameters":{"p":)" + deep + "}}]}", std::nullopt));
      EXPECT_FALSE(
          survives(R"({"inputs":[{"name":"x","datatype":"UINT8","shape":[0],"data":)" + deep + "}]}", std::nullopt));
      EXPECT_FALSE(
          survives(R"({"inputs":[{"name":"x","datatype":"UINT8","shape":)" + deep + R"(,"data":[]}]})", std::nullopt));
      EXPECT_FALSE(survives(R"({"inputs":)" + deep + "}", std::nullopt));
    }
  }
  EXPECT_TRUE(
      survives(R"({"inputs":[],"unknown":)" + std::string(100, '[') + std::string(100, ']') + "}", std::nullopt));
}

TEST(HostileBody, deep_nesting_is_named) {
  const Parsed parsed(R"({"inputs":[],"unknown":)" + std::string(100'000, '[') + std::string(100'000, ']') + "}");
  EXPECT_THAT(parsed.message(), testing::HasSubstr("at most 100 nested brackets"));
}

}  // namespace
}  // namespace headrace::proto
