#include "load/rows.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <string>

namespace headrace::load {
namespace {

std::string npy(const std::string& dictionary, const std::string& data, char version = 1) {
  std::string header = dictionary;
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  std::string file = "\x93NUMPY";
  file += {version, '\0', static_cast<char>(header.size() & 0xff), static_cast<char>(header.size() >> 8)};
  if (version != 1) file += {'\0', '\0'};
  return file + header + data;
}

Result<Rows> parse(const std::string& file) { return parse_npy(std::as_bytes(std::span(file))); }

std::string float_bytes(std::initializer_list<float> values) {
  std::string bytes(values.size() * sizeof(float), '\0');
  std::memcpy(bytes.data(), std::data(values), bytes.size());
  return bytes;
}

float float_at(std::span<const std::byte> bytes, std::size_t i) {
  float value = 0;
  std::memcpy(&value, bytes.data() + i * sizeof value, sizeof value);
  return value;
}

TEST(Rows, ReadsNpyFiles) {
  for (const char version : {'\1', '\2', '\3'}) {
    const auto rows = parse(
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }", float_bytes({1, 2, 3, 4, 5, 6}), version));
    ASSERT_TRUE(rows) << rows.error();
    EXPECT_EQ(rows->count(), 3U);
    EXPECT_EQ(rows->row_elements(), 2U);
    EXPECT_EQ(rows->datatype(), proto::Datatype::fp32);
    EXPECT_EQ(float_at(rows->window(1, 1), 1), 4);
  }
  const auto flat = parse(npy("{'shape': (2,), 'fortran_order': False, 'descr': '|u1'}", "ab"));
  ASSERT_TRUE(flat) << flat.error();
  EXPECT_EQ(flat->row_elements(), 1U);
}

TEST(Rows, RefusesOtherFiles) {
  for (const auto& file :
       {std::string(), std::string("\x93NUMPY"), std::string(200, 'x'),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }", "123"),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 1), }", "12345"),
        npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1, 1), }", "1234"),
        npy("{'descr': '<f4', 'fortran_order': True, 'shape': (1, 1), }", "1234"),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), }", "1234"),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 1), }", ""),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, x), }", "1234"),
        npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1, 1), }", "1234"),
        npy("{'descr': '<f4', 'shape': (1, 1), }", "1234"),
        npy("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }", "1234"),
        npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1, 4611686018427387904, 4), }", "1234"), npy("", "")}) {
    EXPECT_FALSE(parse(file));
  }
}

TEST(Rows, WindowsGoOnWithTheFirstRow) {
  auto rows = parse(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (3,), }", float_bytes({10, 11, 12})));
  ASSERT_TRUE(rows);
  rows->allow_windows(8);
  for (std::size_t first = 0; first < 3; ++first) {
    const auto window = rows->window(first, 8);
    for (std::size_t i = 0; i < 8; ++i) EXPECT_EQ(float_at(window, i), static_cast<float>(10 + (first + i) % 3));
  }
  EXPECT_EQ(rows->count(), 3U);
}

TEST(Rows, RandomRowsFollowTheSeed) {
  for (const auto& traits : proto::datatypes()) {
    const TensorInfo tensor{"x", traits.datatype, {3, 2}};
    const Rows a = random_rows(tensor, 5, 1);
    const Rows b = random_rows(tensor, 5, 1);
    const Rows c = random_rows(tensor, 5, 2);
    EXPECT_EQ(a.count(), 5U);
    EXPECT_EQ(a.row_bytes(), 6 * (traits.item_bytes == 0 ? 12 : traits.item_bytes));
    const auto bytes = [](const Rows& rows) {
      const auto window = rows.window(0, 5);
      return std::vector<std::byte>(window.begin(), window.end());
    };
    EXPECT_EQ(bytes(a), bytes(b)) << traits.name;
    EXPECT_NE(bytes(a), bytes(c)) << traits.name;
  }
}

TEST(Rows, RandomFloatsLieBelowOne) {
  const Rows rows = random_rows({"x", proto::Datatype::fp32, {64}}, 64, 3);
  const auto all = rows.window(0, 64);
  float sum = 0;
  for (std::size_t i = 0; i < 64 * 64; ++i) {
    const float value = float_at(all, i);
    ASSERT_TRUE(value >= -1 && value < 1);
    sum += value;
  }
  EXPECT_LT(std::fabs(sum / 4096), 0.05F);
}

}  // namespace
}  // namespace headrace::load
