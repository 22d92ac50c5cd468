// Every operator of the catalogue × its examples × every device, against the step's float64 reference. Nothing here
// names an operator: a new line in operators.def is tested by being there.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <numeric>
#include <string>
#include <tuple>
#include <vector>

#include "gpu/devices.hpp"
#include "gpu/host_pool.hpp"
#include "gpu/ops/catalogue.hpp"
#include "gpu/ops/conformance.hpp"
#include "gpu/staging_ring.hpp"
#include "tests/support/flight_log.hpp"
#include "tests/support/test_batch.hpp"

namespace headrace::gpu {
namespace {

using support::FlightLog;
using support::TestBatch;
using support::TestRequest;

constexpr std::uint64_t seed = 20261130;
constexpr RingOptions ring_options{.slots = 1, .slot_bytes = 2u << 20, .segments_max = 16};
constexpr std::uint32_t rows_many = 301;

using Case = std::tuple<const Operator*, std::string>;

std::string case_name(const testing::TestParamInfo<Case>& info) {
  return std::string(std::get<0>(info.param)->name) + "_" + std::get<1>(info.param);
}

std::string described(const Step& step, std::size_t rows, RowKind kind) {
  return std::string(step.op()) + " " + step.input().to_string() + ", " + std::to_string(rows) +
         (kind == RowKind::edges ? " edge rows" : " random rows");
}

class Conformance : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    auto opened = open_devices(std::get<1>(GetParam()), {.cpu_workers = 2, .inline_flops_max = 0});
    if (!opened) GTEST_SKIP() << "no such device here: " << opened.error().message;
    device_ = std::move(opened->devices.front());
    pool_ = std::make_unique<HostPool>(device_->allocate_host(16u << 20).value());
    ring_ = StagingRing::open(*device_, ring_options).value();
  }

  void TearDown() override {
    ring_.reset();
    pool_.reset();
    device_.reset();
  }

  const Operator& op() const { return *std::get<0>(GetParam()); }

  std::vector<std::unique_ptr<Executable>> compiled_examples() {
    std::vector<std::unique_ptr<Executable>> executables;
    for (auto& step : op().examples(seed)) {
      executables.push_back(device_->compile(Program::of(std::move(step)), rows_many, ring_options.slot_bytes).value());
    }
    return executables;
  }

  void fly(const TestBatch& batch) {
    FlightLog log;
    ring_->acquire(0);
    ring_->submit(0, batch.batch(1), log);
    ASSERT_TRUE(log.wait_for(1));
    ring_->release(0);
    const auto result = log.result(1);
    ASSERT_FALSE(result.error) << result.error->message;
    EXPECT_TRUE(batch.guards_are_whole());
  }

  static const Step& step_of(const Executable& executable) { return *executable.program().steps().front(); }

  /// Fills each request with its share of `rows`.
  static void set_rows(TestBatch& batch, std::span<const std::byte> rows) {
    std::size_t at = 0;
    for (std::size_t i = 0; i < batch.requests(); ++i) {
      const auto input = batch.input(i);
      std::copy_n(rows.begin() + static_cast<std::ptrdiff_t>(at), input.size(), input.begin());
      at += input.size();
    }
  }

  static std::vector<std::byte> all_outputs(const TestBatch& batch) {
    std::vector<std::byte> rows;
    for (std::size_t i = 0; i < batch.requests(); ++i) {
      const auto output = batch.output(i);
      rows.insert(rows.end(), output.begin(), output.end());
    }
    return rows;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<HostPool> pool_;
  std::unique_ptr<StagingRing> ring_;
};

/// The same rows as one request, and split over several that stand at odd addresses.
std::vector<std::vector<TestRequest>> splits(std::uint32_t rows) {
  return {{{rows, 0}}, {{rows / 3, 1}, {0, 5}, {rows - rows / 3 - rows / 4, 12}, {rows / 4, 8}}};
}

TEST_P(Conformance, EveryExampleIsWithinItsTolerance) {
  for (const auto& executable : compiled_examples()) {
    const Step& step = step_of(*executable);
    Generator generator(seed);
    for (const RowKind kind : {RowKind::random, RowKind::edges}) {
      for (const std::uint32_t rows : {0u, 1u, 7u, 64u, executable->rows_max()}) {
        std::vector<std::byte> in(rows * step.input().row_bytes());
        fill_rows(step.input(), kind, generator, in);
        for (const auto& requests : splits(rows)) {
          SCOPED_TRACE(described(step, rows, kind));
          TestBatch batch(*pool_, *executable, requests);
          set_rows(batch, in);
          ASSERT_NO_FATAL_FAILURE(fly(batch));
          const auto out = all_outputs(batch);
          const auto mismatch = find_mismatch(step, in, out, rows);
          ASSERT_FALSE(mismatch) << *mismatch;
        }
      }
    }
  }
}

TEST_P(Conformance, ARowsAnswerDoesNotDependOnItsNeighboursValues) {
  for (const auto& executable : compiled_examples()) {
    const Step& step = step_of(*executable);
    if (step.input().element != ElementType::f32) continue;
    const std::uint32_t rows = executable->rows_max();
    const std::size_t row_floats = step.input().row_elements();
    std::vector<float> values(rows * row_floats);
    Generator generator(seed);
    fill_rows(step.input(), RowKind::random, generator, std::as_writable_bytes(std::span(values)));
    TestBatch calm(*pool_, *executable, std::vector<TestRequest>{{rows, 0}});
    set_rows(calm, std::as_bytes(std::span(values)));
    ASSERT_NO_FATAL_FAILURE(fly(calm));

    for (const float wild : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
      for (std::size_t row = 1; row < rows; row += 2)
        std::ranges::fill(std::span(values).subspan(row * row_floats, row_floats), wild);
      TestBatch mixed(*pool_, *executable, std::vector<TestRequest>{{rows, 0}});
      set_rows(mixed, std::as_bytes(std::span(values)));
      ASSERT_NO_FATAL_FAILURE(fly(mixed));
      for (std::uint32_t row = 0; row < rows; row += 2) {
        const std::size_t row_bytes = step.output().row_bytes();
        const auto expected = calm.output(0).subspan(row * row_bytes, row_bytes);
        const auto got = mixed.output(0).subspan(row * row_bytes, row_bytes);
        ASSERT_TRUE(std::ranges::equal(expected, got)) << described(step, rows, RowKind::random) << ", row " << row;
      }
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Catalogue, Conformance,
                         testing::Combine(testing::ValuesIn(catalogue().begin(), catalogue().end()),
                                          testing::Values(std::string("cpu"), std::string("cuda"))),
                         case_name);

struct alignas(64) Line {
  std::byte bytes[64];
};

TEST(CpuForm, InPlaceGivesTheSameBits) {
  for (const Operator* op : catalogue()) {
    for (const auto& step : op->examples(seed)) {
      if (!step->in_place()) continue;
      const std::size_t bytes = 33 * step->input().row_bytes();
      std::vector<Line> in(bytes / 64 + 1), apart(in.size());
      Generator generator(seed);
      fill_rows(step->input(), RowKind::edges, generator, {in.front().bytes, bytes});
      step->run(in.front().bytes, apart.front().bytes, 33);
      step->run(in.front().bytes, in.front().bytes, 33);
      EXPECT_EQ(std::memcmp(in.data(), apart.data(), bytes), 0) << op->name << " " << step->input().to_string();
    }
  }
}

}  // namespace
}  // namespace headrace::gpu
