// What every device promises (gpu/device.hpp), run over each of them: cpu, cpu with inline flights, the puppet, cuda.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "gpu/devices.hpp"
#include "gpu/host_pool.hpp"
#include "gpu/staging_ring.hpp"
#include "tests/support/flight_log.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/puppet_device.hpp"
#include "tests/support/test_batch.hpp"

namespace headrace::gpu {
namespace {

using support::FlightLog;
using support::TestBatch;
using support::TestRequest;
using Requests = std::vector<TestRequest>;
using Counts = std::array<std::uint32_t, slot_states>;

struct DeviceCase {
  std::string name;
  std::function<Result<std::unique_ptr<Device>>()> open;
};

Result<std::unique_ptr<Device>> open_one(std::string_view selection, const DeviceOptions& options) {
  auto opened = open_devices(selection, options);
  if (!opened) return tl::unexpected(std::move(opened.error()));
  return std::move(opened->devices.front());
}

std::vector<DeviceCase> device_cases() {
  return {{"cpu", [] { return open_one("cpu", {.cpu_workers = 2, .inline_flops_max = 0}); }},
          {"cpu_inline", [] { return open_one("cpu", {.cpu_workers = 1, .inline_flops_max = ~std::uint64_t{0}}); }},
          {"puppet",
           [] {
             return Result<std::unique_ptr<Device>>(
                 std::make_unique<support::PuppetDevice>(support::PuppetOptions{.auto_complete = true}));
           }},
          {"cuda", [] { return open_one("cuda", {}); }},
          {"cuda_in_place", [] { return open_one("cuda", {.transfer = Transfer::in_place}); }},
          {"cuda_copy_engines", [] { return open_one("cuda", {.transfer = Transfer::copy_engines}); }}};
}

constexpr RingOptions ring_options{.slots = 4, .slot_bytes = 256 << 10, .segments_max = 64};

class DeviceContract : public testing::TestWithParam<DeviceCase> {
 protected:
  void SetUp() override {
    auto device = GetParam().open();
    if (!device) GTEST_SKIP() << "no " << GetParam().name << " device here: " << device.error().message;
    device_ = std::move(*device);
    pool_ = std::make_unique<HostPool>(device_->allocate_host(16u << 20).value());
    ring_ = StagingRing::open(*device_, ring_options).value();
  }

  void TearDown() override {
    if (ring_ == nullptr) return;
    EXPECT_EQ(ring_->counts(), (Counts{ring_options.slots, 0, 0, 0})) << "every slot is home";
    EXPECT_EQ(ring_->spurious_notices(), 0u);
    ring_.reset();
    EXPECT_EQ(pool_->bytes_held(), 0u);
    pool_.reset();
    device_.reset();
  }

  std::unique_ptr<Executable> compile(std::shared_ptr<const Program> program, std::uint32_t rows_max = 4096) {
    return device_->compile(std::move(program), rows_max, ring_options.slot_bytes).value();
  }

  /// One flight on that slot, there and back.
  FlightResult fly(const TestBatch& batch, std::uint64_t flight = 1, std::uint32_t slot = 0) {
    FlightLog log;
    ring_->acquire(slot);
    ring_->submit(slot, batch.batch(flight), log);
    EXPECT_TRUE(log.wait_for(1));
    FlightResult result = log.result(flight);
    EXPECT_EQ(log.notices_of(flight), 1u);
    ring_->release(slot);
    EXPECT_FALSE(result.error) << (result.error ? result.error->message : "");
    return result;
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<HostPool> pool_;
  std::unique_ptr<StagingRing> ring_;
};

/// Batches that put the first byte of a tensor at each of the 16 offsets, with 0, 1, odd and many rows, and several
/// segments that are misaligned each in its own way.
std::vector<Requests> shapes_of_batches(std::size_t offset, std::uint32_t rows_max) {
  const auto at = [&](std::size_t more) { return (offset + more) % 16; };
  return {{{0, at(0)}},
          {{1, at(0)}},
          {{7, at(0)}},
          {{rows_max, at(0)}},
          {{1, at(0)}, {0, at(3)}, {7, at(5)}, {33, at(11)}, {2, at(1)}},
          {{rows_max / 2 - 1, at(0)}, {1, at(1)}, {rows_max / 2, at(8)}}};
}

void expect_same_bits(TestBatch& batch, const std::string& what) {
  for (std::size_t i = 0; i < batch.requests(); ++i) {
    const auto in = batch.input(i);
    const auto out = batch.output(i);
    ASSERT_TRUE(std::equal(in.begin(), in.end(), out.begin(), out.end())) << what << ", request " << i;
  }
  ASSERT_TRUE(batch.guards_are_whole()) << what;
}

/// Against the float64 reference of the whole chain, each element within `tolerance` of it, relative beyond 1.
void expect_reference(const Program& program, const TestBatch& batch, double tolerance, const std::string& what) {
  const std::size_t in_width = program.inputs().front().type.row_elements();
  const std::size_t out_width = program.outputs().front().type.row_elements();
  for (std::size_t i = 0; i < batch.requests(); ++i) {
    const auto in = batch.input_floats(i);
    const auto out = batch.output_floats(i);
    for (std::uint32_t row = 0; row < batch.rows(i); ++row) {
      std::vector<double> wide(in_width);
      std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(row * in_width), in_width, wide.begin());
      const auto want = support::reference_row(program, wide);
      for (std::size_t j = 0; j < out_width; ++j) {
        const double got = out[row * out_width + j];
        ASSERT_NEAR(got, want[j], tolerance * std::max(1.0, std::abs(want[j])))
            << what << ", request " << i << " row " << row << " element " << j;
      }
    }
  }
  ASSERT_TRUE(batch.guards_are_whole()) << what;
}

TEST_P(DeviceContract, DescribesItself) {
  const DeviceInfo& info = device_->info();
  EXPECT_FALSE(info.label.empty());
  EXPECT_FALSE(info.name.empty());
  EXPECT_FALSE(device_->lost());
}

TEST_P(DeviceContract, HostMemoryIsAligned) {
  for (const std::size_t bytes : {1u, 256u, 100'000u}) {
    const auto block = device_->allocate_host(bytes);
    ASSERT_TRUE(block.has_value());
    EXPECT_GE(block->bytes(), bytes);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(block->data()) % host_alignment_bytes, 0u);
  }
}

TEST_P(DeviceContract, MoreHostMemoryThanThereIsIsAnErrorValue) {
  const auto block = device_->allocate_host(std::size_t{1} << 60);
  ASSERT_FALSE(block.has_value());
  EXPECT_EQ(block.error().kind, ErrorKind::out_of_memory);
  EXPECT_THAT(block.error().message, testing::HasSubstr(std::to_string(std::size_t{1} << 60)));
}

TEST_P(DeviceContract, IdentityKeepsEveryBitOfEveryElementTypeAtEveryOffset) {
  for (int type = 0; type <= static_cast<int>(ElementType::f64); ++type) {
    for (const std::int64_t columns : {1, 5, 64}) {
      const TensorType row{static_cast<ElementType>(type), {columns}};
      const auto executable = compile(support::identity_program(row), 100);
      for (std::size_t offset = 0; offset < 16; ++offset) {
        for (const Requests& requests : shapes_of_batches(offset, executable->rows_max())) {
          TestBatch batch(*pool_, *executable, requests);
          batch.fill_bytes(offset + 1);
          fly(batch);
          expect_same_bits(batch, row.to_string() + " at offset " + std::to_string(offset));
          if (HasFatalFailure()) return;
        }
      }
    }
  }
}

TEST_P(DeviceContract, ProgramsAreRightAtEveryOffset) {
  using support::fp32_row;
  using support::fp32_weight;
  const std::vector<std::pair<std::string, std::shared_ptr<const Program>>> programs{
      {"affine", support::affine_program(5, -1.5, 0.25)},
      {"relu", support::make_program(fp32_row({3, 7}), {{"relu", {}}})},
      {"linear", support::make_program(fp32_row({37}), {{"linear", {{"weight", fp32_weight({11, 37}, 5)}}}})},
      {"softmax", support::make_program(fp32_row({13}), {{"softmax", {}}})},
      {"affine relu affine",
       support::make_program(fp32_row({9}),
                             {{"affine", {{"scale", 3.0}}}, {"relu", {}}, {"affine", {{"shift", -2.0}}}})},
      {"classifier", support::classifier_program()}};
  for (const auto& [name, program] : programs) {
    const auto executable = compile(program, 70);
    for (std::size_t offset = 0; offset < 16; ++offset) {
      for (const Requests& requests : shapes_of_batches(offset, executable->rows_max())) {
        TestBatch batch(*pool_, *executable, requests);
        batch.fill_floats(offset + 1);
        fly(batch);
        expect_reference(*program, batch, 2e-5, name + " at offset " + std::to_string(offset));
        if (HasFatalFailure()) return;
      }
    }
  }
}

TEST_P(DeviceContract, TheLargestBatchIsWhatASlotHolds) {
  const auto program = support::classifier_program();  // 512 bytes at its widest
  EXPECT_EQ(compile(program, 4096)->rows_max(), ring_options.slot_bytes / 512);
  EXPECT_EQ(compile(program, 100)->rows_max(), 100u);
  const auto executable = compile(program, 4096);
  Requests requests{{executable->rows_max() - 40, 4}};
  for (std::size_t i = 0; i < 40; ++i) requests.push_back({1, i % 16});
  TestBatch batch(*pool_, *executable, requests);
  batch.fill_floats(1);
  fly(batch);
  expect_reference(*program, batch, 2e-5, "full slot");
}

TEST_P(DeviceContract, ARowThatNoSlotHoldsIsRefused) {
  const auto executable = device_->compile(support::affine_program(1'000, 1, 0), 8, 3'999);
  ASSERT_FALSE(executable.has_value());
  EXPECT_EQ(executable.error().kind, ErrorKind::out_of_memory);
  EXPECT_THAT(executable.error().message, testing::HasSubstr("4000"));
}

TEST_P(DeviceContract, AsManySegmentsAsTheSlotWasOpenedFor) {
  const auto program = support::affine_program(7, 2, 1);
  const auto executable = compile(program);
  Requests requests;
  for (std::uint32_t i = 0; i < ring_options.segments_max; ++i) requests.push_back({i % 5, i % 16});
  TestBatch batch(*pool_, *executable, requests);
  batch.fill_floats(9);
  fly(batch);
  expect_reference(*program, batch, 1e-6, "many segments");
}

TEST_P(DeviceContract, ABatchOfNothingIsAnswered) {
  const auto executable = compile(support::affine_program(7, 2, 1));
  const TestBatch none(*pool_, *executable, {});
  fly(none, 1);
  const TestBatch empty(*pool_, *executable, Requests{{0, 0}, {0, 3}});
  fly(empty, 2);
  EXPECT_TRUE(empty.guards_are_whole());
}

TEST_P(DeviceContract, MeasuresItsStages) {
  const auto executable = compile(support::classifier_program());
  TestBatch batch(*pool_, *executable, Requests{{200, 0}});
  batch.fill_floats(1);
  const auto begin = std::chrono::steady_clock::now();
  const StageTimes times = fly(batch).times;
  const auto took = std::chrono::steady_clock::now() - begin;
  EXPECT_GT(times.kernel.count(), 0);
  for (const auto stage : {times.pack, times.h2d, times.d2h}) EXPECT_GE(stage.count(), 0);
  if (!device_->info().has_copy_stages) {
    EXPECT_EQ(times.h2d.count() + times.d2h.count(), 0);
    EXPECT_LE(times.pack + times.kernel, took);
  }
}

TEST_P(DeviceContract, InputsAreNeverWritten) {
  const auto executable = compile(support::classifier_program());
  TestBatch batch(*pool_, *executable, Requests{{40, 0}, {3, 4}, {1, 1}});
  batch.fill_floats(3);
  std::vector<std::vector<float>> before;
  for (std::size_t i = 0; i < batch.requests(); ++i) before.push_back(batch.input_floats(i));
  fly(batch);
  for (std::size_t i = 0; i < batch.requests(); ++i) EXPECT_EQ(batch.input_floats(i), before[i]);
}

/// The answers of request 0, with its neighbours' values all `neighbour`.
std::vector<float> answers_beside(HostPool& pool, const Executable& executable, float neighbour,
                                  const std::function<void(const TestBatch&)>& fly) {
  TestBatch batch(pool, executable, Requests{{3, 0}, {2, 8}, {20, 0}, {1, 3}});
  batch.fill_floats(11);
  for (std::size_t i = 1; i < batch.requests(); ++i) {
    batch.set_floats(i, std::vector<float>(batch.input(i).size() / sizeof(float), neighbour));
  }
  fly(batch);
  return batch.output_floats(0);
}

TEST_P(DeviceContract, ARowsAnswerDoesNotDependOnItsNeighbours) {
  const auto executable = compile(support::classifier_program());
  const auto flown = [this](const TestBatch& batch) { fly(batch); };
  const auto calm = answers_beside(*pool_, *executable, 0.0F, flown);
  EXPECT_TRUE(std::ranges::all_of(calm, [](float value) { return std::isfinite(value); }));
  for (const float neighbour : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                                std::numeric_limits<float>::max(), -1.0F}) {
    EXPECT_EQ(answers_beside(*pool_, *executable, neighbour, flown), calm) << neighbour;
  }
}

TEST_P(DeviceContract, TwoProgramsShareTheSlots) {
  const auto affine = support::affine_program(33, 2, 1);
  const auto classifier = support::classifier_program();
  const auto first = compile(affine);
  const auto second = compile(classifier);
  for (std::uint64_t round = 0; round < 8; ++round) {
    TestBatch one(*pool_, *first, Requests{{static_cast<std::uint32_t>(round), round}, {17, 0}});
    TestBatch two(*pool_, *second, Requests{{static_cast<std::uint32_t>(9 - round), 0}});
    one.fill_floats(round);
    two.fill_floats(round);
    fly(one, 2 * round + 1);
    fly(two, 2 * round + 2);
    expect_reference(*affine, one, 1e-6, "affine");
    expect_reference(*classifier, two, 2e-5, "classifier");
  }
}

TEST_P(DeviceContract, EverySlotAnswersOnceWhenAllAreInTheAir) {
  const auto program = support::classifier_program();
  const auto executable = compile(program);
  for (std::uint64_t round = 0; round < 10; ++round) {
    FlightLog log;
    std::vector<std::unique_ptr<TestBatch>> batches;
    for (std::uint32_t slot = 0; slot < ring_options.slots; ++slot) {
      batches.push_back(std::make_unique<TestBatch>(*pool_, *executable, Requests{{slot + 1, slot}, {30, 0}}));
      batches.back()->fill_floats(round * 10 + slot);
      ring_->acquire(slot);
    }
    for (std::uint32_t slot = 0; slot < ring_options.slots; ++slot) {
      ring_->submit(slot, batches[slot]->batch(round * 10 + slot), log);
    }
    ASSERT_TRUE(log.wait_for(ring_options.slots));
    for (std::uint32_t slot = 0; slot < ring_options.slots; ++slot) {
      EXPECT_EQ(log.notices_of(round * 10 + slot), 1u);
      expect_reference(*program, *batches[slot], 2e-5, "slot " + std::to_string(slot));
      ring_->release(slot);
    }
    EXPECT_EQ(log.notices(), ring_options.slots);
  }
}

TEST_P(DeviceContract, SlotsMayBeFlownFromManyThreadsAtOnce) {
  const auto program = support::classifier_program();
  const auto executable = compile(program);
  std::vector<std::thread> threads;
  for (std::uint32_t slot = 0; slot < ring_options.slots; ++slot) {
    threads.emplace_back([&, slot] {
      for (std::uint64_t i = 1; i <= 40; ++i) {
        TestBatch batch(*pool_, *executable, Requests{{static_cast<std::uint32_t>(i), i % 16}, {2, 1}});
        batch.fill_floats(i);
        fly(batch, slot * 1'000 + i, slot);
        expect_reference(*program, batch, 2e-5, "thread " + std::to_string(slot));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
}

INSTANTIATE_TEST_SUITE_P(Devices, DeviceContract, testing::ValuesIn(device_cases()),
                         [](const testing::TestParamInfo<DeviceCase>& info) { return info.param.name; });

}  // namespace
}  // namespace headrace::gpu
