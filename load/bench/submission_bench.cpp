#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "load/bench/benches.hpp"
#include "load/bench/flying.hpp"
#include "load/bench/rig.hpp"

namespace headrace::bench {
namespace {

struct Submission {
  std::string what;
  ProgramPtr program;
  BatchShape shape;
};

std::vector<Submission> submissions(bool quick) {
  const auto classifier = classifier_program();
  std::vector<Submission> all{{"affine 64x1KiB", affine_program(256), {64, 1}}, {"classifier 1x1", classifier, {1, 1}}};
  if (quick) return all;
  all.push_back({"classifier 64x1", classifier, {64, 1}});
  all.push_back({"classifier 64x64", classifier, {64, 64}});
  all.push_back({"classifier 1024x4", classifier, {1024, 4}});
  return all;
}

}  // namespace

std::vector<Row> submission_bench(const BenchOptions& options) {
  const auto all = submissions(options.quick);
  std::size_t arena_bytes = 0;
  for (const Submission& one : all) arena_bytes = std::max(arena_bytes, pool_bytes(*one.program, one.shape));
  const Rig rig(options.device, {}, arena_bytes);
  std::vector<Row> rows;
  for (const Submission& one : all) {
    const Stand stand(rig, one.program, one.shape, 1);
    auto samples = fly_one_at_a_time(stand.ring(), stand.first(), {.seconds = options.seconds});
    rows.push_back({"submission",
                    one.what,
                    way_text({}),
                    {{"p50_us", quantile(samples.submit_us, 0.5)},
                     {"p99_us", quantile(samples.submit_us, 0.99)},
                     {"pack_us", quantile(samples.pack_us, 0.5)},
                     {"notice_us", quantile(samples.notice_us, 0.5)},
                     {"kernel_us", quantile(samples.kernel_us, 0.5)}},
                    {}});
  }
  return rows;
}

}  // namespace headrace::bench
