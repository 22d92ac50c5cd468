#include "gpu/cpu/batch_runner.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "gpu/cpu/cpu_executable.hpp"
#include "gpu/cpu/host_memory.hpp"
#include "gpu/cpu/tile_plan.hpp"
#include "gpu/host_pool.hpp"
#include "tests/support/programs.hpp"
#include "tests/support/test_batch.hpp"

namespace headrace::gpu::cpu {
namespace {

using support::TestBatch;
using support::TestRequest;

class BatchRunnerTest : public testing::Test {
 protected:
  static constexpr std::size_t scratch_bytes = 1u << 20;

  RunReport run(const Program& program, const TestBatch& batch) {
    const Scratch scratch{memory_.data(), memory_.data() + scratch_bytes, scratch_bytes};
    return run_batch(program, batch.batch(1).segments, scratch);
  }

  HostBlock memory_ = std::move(*allocate_pages(2 * scratch_bytes));
  HostPool pool_{std::move(*allocate_pages(64u << 20))};
};

void expect_affine(const TestBatch& batch) {
  for (std::size_t i = 0; i < batch.requests(); ++i) {
    const auto in = batch.input_floats(i);
    const auto out = batch.output_floats(i);
    for (std::size_t j = 0; j < in.size(); ++j) ASSERT_FLOAT_EQ(out[j], 2 * in[j] + 1) << i << " " << j;
  }
  EXPECT_TRUE(batch.guards_are_whole());
}

TEST_F(BatchRunnerTest, ALargeAlignedRequestIsNeverCopied) {
  const auto program = support::affine_program(64, 2, 1);
  const CpuExecutable executable(program, 100'000);
  TestBatch batch(pool_, executable, std::vector<TestRequest>{{5'000, 0}, {1'237, 64}});
  batch.fill_floats(1);
  const RunReport report = run(*program, batch);
  EXPECT_EQ(report.copied_bytes, 0u);
  EXPECT_GT(report.kernel.count(), 0);
  expect_affine(batch);
}

TEST_F(BatchRunnerTest, AnUnalignedRequestIsGatheredAndAnsweredInPlace) {
  const auto program = support::affine_program(64, 2, 1);
  const CpuExecutable executable(program, 100'000);
  TestBatch batch(pool_, executable, std::vector<TestRequest>{{2'000, 3}});
  batch.fill_floats(2);
  EXPECT_EQ(run(*program, batch).copied_bytes, 2'000u * 256);
  expect_affine(batch);
}

TEST_F(BatchRunnerTest, SmallRequestsShareTiles) {
  const auto program = support::affine_program(5, 2, 1);
  const CpuExecutable executable(program, 100'000);
  std::vector<TestRequest> requests;
  for (std::uint32_t i = 0; i < 300; ++i) requests.push_back({i % 4, i % 7});
  TestBatch batch(pool_, executable, requests);
  batch.fill_floats(3);
  EXPECT_EQ(run(*program, batch).copied_bytes, 2 * 20u * batch.batch(1).rows);
  expect_affine(batch);
}

TEST_F(BatchRunnerTest, NoRowsAreNoWork) {
  const auto program = support::affine_program(5, 2, 1);
  const CpuExecutable executable(program, 100);
  const TestBatch empty(pool_, executable, {});
  EXPECT_EQ(run(*program, empty).copied_bytes, 0u);
  const TestBatch zeros(pool_, executable, std::vector<TestRequest>{{0, 0}, {0, 1}});
  EXPECT_EQ(run(*program, zeros).copied_bytes, 0u);
  EXPECT_TRUE(zeros.guards_are_whole());
}

TEST_F(BatchRunnerTest, ARowWiderThanATileIsComputedAlone) {
  const auto program = support::affine_program(60'001, 2, 1);
  ASSERT_GT(program->widest_row_bytes(), tile_bytes);
  const CpuExecutable executable(program, 100);
  TestBatch batch(pool_, executable, std::vector<TestRequest>{{3, 0}, {1, 9}});
  batch.fill_floats(4);
  run(*program, batch);
  expect_affine(batch);
}

TEST_F(BatchRunnerTest, InputsAreNeverWritten) {
  const auto program = support::make_program(
      support::fp32_row({32}), {{"relu", {}}, {"affine", {{"scale", 3.0}}}, {"relu", {}}, {"softmax", {}}});
  const CpuExecutable executable(program, 1'000);
  TestBatch batch(pool_, executable, std::vector<TestRequest>{{40, 0}, {2, 1}, {3, 0}});
  batch.fill_floats(5);
  std::vector<std::vector<float>> before;
  for (std::size_t i = 0; i < batch.requests(); ++i) before.push_back(batch.input_floats(i));
  run(*program, batch);
  for (std::size_t i = 0; i < batch.requests(); ++i) EXPECT_EQ(batch.input_floats(i), before[i]);
}

}  // namespace
}  // namespace headrace::gpu::cpu
