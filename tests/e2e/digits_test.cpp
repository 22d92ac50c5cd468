// The main job on real input: 450 scans with known labels, and probabilities computed in float64.

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <thread>

#include "gpu/devices.hpp"
#include "load/rows.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/infer_text.hpp"
#include "tests/support/service.hpp"

namespace headrace {
namespace {

constexpr std::size_t scans = 450;
constexpr std::size_t pixels = 64;
constexpr std::size_t classes = 10;
constexpr float tolerance = 1e-4F;
const std::string models = support::shipped_models();

struct Where {
  const char* name;
  const char* device;
  std::uint32_t io_threads;  // one: it submits the CPU device's batches by itself
};

template <class T>
std::vector<T> read(const std::string& name) {
  const auto rows = load::read_npy(models + "/digits/scans/" + name);
  if (!rows) throw std::runtime_error(name);
  const auto bytes = rows->window(0, rows->count());
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), bytes.size());
  return values;
}

class Digits : public testing::TestWithParam<Where> {
 protected:
  void SetUp() override {
    if (const auto opened = gpu::open_devices(GetParam().device, {}); !opened) GTEST_SKIP() << opened.error().message;
    service_.emplace(models, support::ServiceOptions{.device = GetParam().device, .io_threads = GetParam().io_threads});
    const auto wide = read<double>("expected_probabilities.npy");
    expected_.assign(wide.begin(), wide.end());
  }

  std::span<const float> scan(std::size_t i) const { return std::span(images_).subspan(i * pixels, pixels); }
  std::span<const float> want(std::size_t i) const { return std::span(expected_).subspan(i * classes, classes); }

  static void expect_close(std::span<const float> got, std::span<const float> want) {
    ASSERT_EQ(got.size(), want.size());
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], want[i], tolerance) << "element " << i;
  }

  void expect_accurate(std::span<const float> probabilities) const {
    std::size_t right = 0;
    for (std::size_t i = 0; i < scans; ++i) {
      const auto row = probabilities.subspan(i * classes, classes);
      right += std::max_element(row.begin(), row.end()) - row.begin() == labels_[i] ? 1 : 0;
    }
    EXPECT_GE(static_cast<double>(right) / scans, 0.98);
  }

  std::optional<support::Service> service_;
  std::vector<float> images_ = read<float>("test_images.npy");
  std::vector<std::int64_t> labels_ = read<std::int64_t>("test_labels.npy");
  std::vector<float> expected_;
};

TEST_P(Digits, all_scans_in_one_binary_request_at_every_offset) {
  support::HttpClient client(service_->address());
  for (std::size_t length = 0; length <= 15; ++length) {
    const std::string id(length, 'x');
    client.send(support::binary_infer_text({.id = id}, images_));
    const auto answer = client.receive();
    ASSERT_TRUE(answer);
    const auto got = support::answered_floats(*answer);
    expect_close(got, expected_);
    expect_accurate(got);
    EXPECT_EQ(support::answered_id(*answer), id);
  }
}

TEST_P(Digits, all_scans_in_one_json_request) {
  support::HttpClient client(service_->address());
  client.send(support::json_infer_text({}, images_));
  const auto answer = client.receive();
  ASSERT_TRUE(answer);
  const auto got = support::answered_floats(*answer);
  expect_close(got, expected_);
  expect_accurate(got);
}

TEST_P(Digits, row_by_row_from_64_clients_beside_rows_of_nan) {
  constexpr std::size_t clients = 64;
  const std::vector<float> poison(pixels, std::numeric_limits<float>::quiet_NaN());
  std::vector<float> got(scans * classes);
  std::atomic<std::size_t> next{0};
  std::atomic<int> wrong{0};
  std::barrier start(clients);
  std::vector<std::jthread> threads;
  for (std::size_t c = 0; c < clients; ++c) {
    threads.emplace_back([&, c] {
      support::HttpClient client(service_->address());
      start.arrive_and_wait();
      for (std::size_t i = next++; i < scans; i = next++) {
        const std::string id((c + i) % 16, 'y');
        client.send(support::binary_infer_text({.id = id}, scan(i)));
        const auto answer = client.receive();
        const auto values = answer ? support::answered_floats(*answer) : std::vector<float>{};
        if (values.size() != classes || support::answered_id(*answer) != id) ++wrong;
        std::copy_n(values.begin(), std::min(values.size(), classes),
                    got.begin() + static_cast<std::ptrdiff_t>(i * classes));
        client.send(support::binary_infer_text({}, poison));
        const auto poisoned = client.receive();
        if (!poisoned || poisoned->status != 200) ++wrong;
      }
    });
  }
  threads.clear();
  EXPECT_EQ(wrong, 0);
  expect_close(got, expected_);
  expect_accurate(got);
}

TEST_P(Digits, a_rows_answer_does_not_depend_on_nan_neighbours_in_its_own_request) {
  std::vector<float> mixed(3 * pixels, std::numeric_limits<float>::quiet_NaN());
  std::copy_n(scan(7).begin(), pixels, mixed.begin() + pixels);
  support::HttpClient client(service_->address());
  client.send(support::binary_infer_text({}, mixed));
  const auto answer = client.receive();
  ASSERT_TRUE(answer);
  const auto got = support::answered_floats(*answer);
  ASSERT_EQ(got.size(), 3 * classes);
  expect_close(std::span(got).subspan(classes, classes), want(7));
  EXPECT_TRUE(std::isnan(got[0]));
}

TEST_P(Digits, nan_in_a_json_answer_is_refused_with_a_hint) {
  const std::vector<float> poison(pixels, std::numeric_limits<float>::quiet_NaN());
  std::string text = support::binary_infer_text({}, poison);
  constexpr std::string_view binary = "\"binary_data_output\":true";
  constexpr std::string_view json = "\"binary_data_output\":null";
  static_assert(binary.size() == json.size());
  text.replace(text.find(binary), binary.size(), json);
  support::HttpClient client(service_->address());
  client.send(text);
  EXPECT_EQ(client.receive().value_or(support::HttpAnswer{}).status, 400);  // types are strict

  text.replace(text.find(json), json.size(), "\"some_other_parameter\":42");
  client.send(text);
  const auto answer = client.receive().value_or(support::HttpAnswer{});
  EXPECT_EQ(answer.status, 422);
  EXPECT_NE(answer.body.find("probabilities"), std::string::npos) << answer.body;
}

INSTANTIATE_TEST_SUITE_P(on, Digits,
                         testing::Values(Where{"cpu", "cpu", 2}, Where{"cpu_one_thread", "cpu", 1},
                                         Where{"cuda", "cuda:0", 2}),
                         [](const auto& where) { return std::string(where.param.name); });

}  // namespace
}  // namespace headrace
