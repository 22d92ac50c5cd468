#include "service/models/safetensors.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "tests/service/models/folders.hpp"

namespace headrace::models {
namespace {

using testing::safetensors_file;
using testing::ScratchFolder;

tl::expected<TensorEntries, std::string> parse(const std::string& file) {
  return parse_safetensors(std::as_bytes(std::span(file)));
}

std::string fault_of(const std::string& file) {
  const auto parsed = parse(file);
  return parsed ? "" : parsed.error();
}

constexpr std::string_view two_tensors =
    R"({"__metadata__":{"made":"by hand"},"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]},)"
    R"("b":{"dtype":"U8","shape":[],"data_offsets":[24,25]}})";

TEST(Safetensors, EntriesOfAGoodFile) {
  const auto entries = parse(safetensors_file(two_tensors, 25));
  ASSERT_TRUE(entries) << entries.error();
  ASSERT_EQ(entries->size(), 2U);
  const TensorEntry& a = entries->at("a");
  EXPECT_EQ(a.element, gpu::ElementType::f32);
  EXPECT_EQ(a.shape, (std::vector<std::int64_t>{2, 3}));
  EXPECT_EQ(a.begin, 8 + two_tensors.size());
  EXPECT_EQ(a.end - a.begin, 24U);
  EXPECT_TRUE(entries->at("b").shape.empty());
}

TEST(Safetensors, EveryDtype) {
  const std::vector<std::pair<std::string, std::size_t>> dtypes = {
      {"BOOL", 1}, {"U8", 1},  {"I8", 1},  {"U16", 2}, {"I16", 2}, {"F16", 2}, {"BF16", 2},
      {"U32", 4},  {"I32", 4}, {"F32", 4}, {"U64", 8}, {"I64", 8}, {"F64", 8}};
  for (const auto& [name, bytes] : dtypes) {
    const std::string header =
        R"({"t":{"dtype":")" + name + R"(","shape":[3],"data_offsets":[0,)" + std::to_string(3 * bytes) + "]}}";
    const auto entries = parse(safetensors_file(header, 3 * bytes));
    ASSERT_TRUE(entries) << entries.error();
    EXPECT_EQ(gpu::element_bytes(entries->at("t").element), bytes) << name;
  }
}

TEST(Safetensors, EmptyTensorsAndTrailingSpacesAreAllowed) {
  EXPECT_EQ(fault_of(safetensors_file("{}      ", 0)), "");
  EXPECT_EQ(fault_of(safetensors_file(R"({"e":{"dtype":"F32","shape":[4,0],"data_offsets":[0,0]},)"
                                      R"("a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},)"
                                      R"("z":{"dtype":"F32","shape":[0],"data_offsets":[2,2]}})",
                                      2)),
            "");
}

struct BrokenCase {
  std::string header;
  std::size_t data_bytes;
  std::string message;
};

TEST(Safetensors, BrokenHeadersAreNamed) {
  const std::vector<BrokenCase> cases = {
      {"[1]", 0, "header: expected an object of tensors, got '[1]'"},
      {R"({"a":7})", 0, "a: expected an object with dtype, shape and data_offsets, got '7'"},
      {R"({"a":{"dtype":"F32","shape":[1]}})", 4, "a.data_offsets: expected a value, got no such key"},
      {R"({"a":{"shape":[1],"data_offsets":[0,4]}})", 4, "a.dtype: expected a value, got no such key"},
      {R"({"a":{"dtype":"F32","data_offsets":[0,4]}})", 4, "a.shape: expected a value, got no such key"},
      {R"({"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}})", 4,
       "a.dtype: expected once, got twice"},
      {R"({"a":{"type":"F32"}})", 0, "a.type: unknown key, expected one of dtype, shape, data_offsets"},
      {R"({"a":{"dtype":"F8_E4M3","shape":[1],"data_offsets":[0,1]}})", 1,
       "a.dtype: expected one of BOOL U8 U16 U32 U64 I8 I16 I32 I64 F16 BF16 F32 F64, got 'F8_E4M3'"},
      {R"({"a":{"dtype":4,"shape":[1],"data_offsets":[0,1]}})", 1,
       "a.dtype: expected one of BOOL U8 U16 U32 U64 I8 I16 I32 I64 F16 BF16 F32 F64, got no text"},
      {R"({"a":{"dtype":"F32","shape":4,"data_offsets":[0,4]}})", 4,
       "a.shape: expected a list of dimensions, got no list"},
      {R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,4]}})", 4,
       "a.shape: expected whole numbers from 0, got '-1'"},
      {R"({"a":{"dtype":"F32","shape":[1.0],"data_offsets":[0,4]}})", 4,
       "a.shape: expected whole numbers from 0, got '1.0'"},
      {R"({"a":{"dtype":"F32","shape":[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1],"data_offsets":[0,4]}})", 4,
       "a.shape: expected at most 16 dimensions, got more"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0]}})", 4,
       "a.data_offsets: expected two whole numbers [begin, end], got '[0]'"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}})", 8,
       "a.data_offsets: expected two whole numbers [begin, end], got '[0,4,8]'"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[-4,0]}})", 4,
       "a.data_offsets: expected two whole numbers [begin, end], got '[-4,0]'"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[4,0]}})", 4,
       "a.data_offsets: expected begin ≤ end ≤ 4 (bytes after the header), got [4,0]"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,8]}})", 7,
       "a.data_offsets: expected begin ≤ end ≤ 7 (bytes after the header), got [0,8]"},
      {R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[18446744073709551612,18446744073709551615]}})", 4,
       "a.data_offsets: expected begin ≤ end ≤ 4 (bytes after the header), got "
       "[18446744073709551612,18446744073709551615]"},
      {R"({"a":{"dtype":"F32","shape":[2],"data_offsets":[0,4]}})", 4,
       "a.data_offsets: expected 8 bytes by dtype and shape, got 4"},
      // 2^62 × 4 elements of 4 bytes is 0 when it is computed in 64 bits.
      {R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,0]}})", 0,
       "a.data_offsets: expected more than 2^64 bytes by dtype and shape, got 0"},
      {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[1,3]}})",
       3, "b.data_offsets: expected to begin at 2, where the tensor before it ends, got 1"},
      {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]},"b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]}})",
       5, "b.data_offsets: expected to begin at 2, where the tensor before it ends, got 3"},
      {R"({"a":{"dtype":"U8","shape":[2],"data_offsets":[0,2]}})", 3,
       "expected 2 bytes of tensors after the header, got 3"},
      {R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})",
       2, "a: expected once, got twice"},
      {"{\"a\\u001b[2J\":7}", 0, "a\\x1b[2J: expected an object with dtype, shape and data_offsets, got '7'"},
  };
  for (const BrokenCase& broken : cases) {
    EXPECT_EQ(fault_of(safetensors_file(broken.header, broken.data_bytes)), broken.message) << broken.header;
  }
}

TEST(Safetensors, BrokenLengthsAreNamed) {
  EXPECT_EQ(fault_of(""), "expected a safetensors file that begins with 8 bytes of header length, got 0 bytes in all");
  EXPECT_EQ(fault_of("1234567"),
            "expected a safetensors file that begins with 8 bytes of header length, got 7 bytes in all");
  EXPECT_EQ(fault_of(std::string("\x03\0\0\0\0\0\0\0{}", 10)),
            "header length: expected at most 2 (bytes of the file), got 3");
  EXPECT_EQ(fault_of(std::string(8, '\xff')),
            "header length: expected at most 0 (bytes of the file), got 18446744073709551615");
  std::string large(8 + safetensors_header_bytes_max + 8, ' ');
  const std::uint64_t length = safetensors_header_bytes_max + 1;
  std::memcpy(large.data(), &length, sizeof length);
  EXPECT_EQ(fault_of(large), "header length: expected at most 16777216 (the limit), got 16777217");
}

TEST(Safetensors, HeadersThatAreNotJson) {
  for (const std::string& header : {std::string(), std::string(R"({"a":)"), std::string("{} {}"),
                                    std::string("{}\0", 3), std::string("{\"\xff\":1}"), std::string(200000, '[')}) {
    EXPECT_THAT(fault_of(safetensors_file(header, 0)), ::testing::StartsWith("header: expected JSON, got: ")) << header;
  }
}

TEST(Safetensors, EveryTruncationIsRefused) {
  const std::string whole = safetensors_file(two_tensors, 25);
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes) {
    EXPECT_NE(fault_of(whole.substr(0, bytes)), "") << bytes;
  }
  EXPECT_NE(fault_of(whole + '\0'), "");
}

TEST(Safetensors, EveryFlippedBitOfTheHeadIsRefusedOrStaysInBounds) {
  const std::string whole = safetensors_file(two_tensors, 25);
  for (std::size_t i = 0; i < whole.size() - 25; ++i) {
    for (unsigned bit = 0; bit < 8; ++bit) {
      std::string changed = whole;
      changed[i] = static_cast<char>(static_cast<unsigned char>(changed[i]) ^ (1U << bit));
      const auto entries = parse(changed);
      if (!entries) continue;
      for (const auto& [name, entry] : *entries) {
        EXPECT_LE(entry.begin, entry.end);
        EXPECT_LE(entry.end, changed.size());
      }
    }
  }
}

// The header's length decides where data begins: 64 offsets, of which one is aligned.
TEST(Safetensors, DataIsAlignedWhereverItLies) {
  const ScratchFolder folder;
  for (std::size_t padding = 0; padding < 64; ++padding) {
    const std::string header =
        R"({"a":{"dtype":"F32","shape":[2,3],"data_offsets":[0,24]}})" + std::string(padding, ' ');
    const auto path = folder.write("weights.safetensors", safetensors_file(header, 24));
    const auto opened = Safetensors::open(path);
    ASSERT_TRUE(opened) << opened.error();
    const auto tensor = opened->tensor("a");
    ASSERT_TRUE(tensor);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(tensor->data) % 64, 0U) << padding;
    EXPECT_EQ(tensor->elements(), 6U);
    for (std::size_t i = 0; i < 24; ++i) ASSERT_EQ(tensor->data[i], static_cast<std::byte>(i)) << padding;
  }
}

TEST(Safetensors, TensorsOutliveTheReader) {
  const ScratchFolder folder;
  for (const std::size_t padding : {0U, 8U}) {
    const std::string header = R"({"a":{"dtype":"U8","shape":[3],"data_offsets":[0,3]}})" + std::string(padding, ' ');
    std::optional<gpu::HostTensor> tensor;
    {
      const auto opened = Safetensors::open(folder.write("w.safetensors", safetensors_file(header, 3)));
      ASSERT_TRUE(opened) << opened.error();
      tensor = opened->tensor("a");
    }
    ASSERT_TRUE(tensor);
    EXPECT_EQ(tensor->data[2], std::byte{2});
  }
}

TEST(Safetensors, NamesAreSortedAndAnUnknownOneIsNothing) {
  const ScratchFolder folder;
  const auto opened = Safetensors::open(folder.write("w.safetensors", safetensors_file(two_tensors, 25)));
  ASSERT_TRUE(opened) << opened.error();
  EXPECT_THAT(opened->names(), ::testing::ElementsAre("a", "b"));
  EXPECT_FALSE(opened->tensor("c"));
  EXPECT_FALSE(opened->tensor("__metadata__"));
}

}  // namespace
}  // namespace headrace::models
