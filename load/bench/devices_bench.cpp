#include <fmt/format.h>

#include <exception>
#include <latch>
#include <memory>
#include <span>
#include <stdexcept>
#include <thread>
#include <utility>

#include "load/bench/benches.hpp"
#include "load/bench/flying.hpp"
#include "load/bench/rig.hpp"

namespace headrace::bench {
namespace {

constexpr std::uint32_t slots = 3;
constexpr int rounds = 3;

struct Lane {
  Rig rig;
  Stand stand;

  Lane(std::unique_ptr<gpu::Device> device, const ProgramPtr& program, BatchShape shape)
      : rig(std::move(device), slots * pool_bytes(*program, shape)), stand(rig, program, shape, slots) {}
};

// Rows a second of all lanes together, each with a thread of its own.
double fly_together(std::span<const std::unique_ptr<Lane>> lanes, double seconds) {
  std::vector<double> rates(lanes.size());
  std::vector<std::exception_ptr> faults(lanes.size());
  std::latch start(static_cast<std::ptrdiff_t>(lanes.size()));
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 0; i < lanes.size(); ++i) {
      threads.emplace_back([&, i] {
        start.arrive_and_wait();
        try {
          const Stand& stand = lanes[i]->stand;
          rates[i] = fly_all_slots(stand.ring(), stand.sets(), seconds) * stand.first().rows();
        } catch (...) {
          faults[i] = std::current_exception();
        }
      });
    }
  }
  double sum = 0;
  for (std::size_t i = 0; i < lanes.size(); ++i) {
    if (faults[i]) std::rethrow_exception(faults[i]);
    sum += rates[i];
  }
  return sum;
}

}  // namespace

std::vector<Row> devices_bench(const BenchOptions& options) {
  const ProgramPtr program = options.quick ? wide_program(32, 2) : wide_program(1024, 4);
  const BatchShape shape = options.quick ? BatchShape{2, 4} : BatchShape{16, 256};
  std::vector<std::unique_ptr<Lane>> lanes;
  for (auto& device : open_all(options.device, {})) {
    lanes.push_back(std::make_unique<Lane>(std::move(device), program, shape));
  }
  const std::span<const std::unique_ptr<Lane>> all(lanes);
  std::vector<double> one;
  std::vector<double> every;
  for (int round = 0; round < rounds; ++round) {
    one.push_back(fly_together(all.first(1), options.seconds));
    if (lanes.size() > 1) every.push_back(fly_together(all, options.seconds));
  }
  std::vector<Row> rows{{"devices", "1", way_text({}), {{"rows_per_second", median(one)}}, {}}};
  if (every.empty()) {
    rows.push_back({"devices", "all", way_text({}), {}, "skipped: there is one device"});
  } else {
    rows.push_back({"devices",
                    "all",
                    way_text({}),
                    {{"devices", static_cast<double>(lanes.size())},
                     {"rows_per_second", median(every)},
                     {"ratio", median(every) / median(one)}},
                    {}});
  }
  return rows;
}

}  // namespace headrace::bench
