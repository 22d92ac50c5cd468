#include "gpu/cpu/worker_pool.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <latch>
#include <memory>
#include <vector>

namespace headrace::gpu::cpu {
namespace {

struct Counter final : Job {
  Counter(std::atomic<int>& runs_, std::latch& done_) : runs(runs_), done(done_) {}
  void run() noexcept override {
    ++runs;
    done.count_down();
  }
  std::atomic<int>& runs;
  std::latch& done;
};

TEST(WorkerPool, RunsEveryJobOnce) {
  std::atomic<int> runs{0};
  std::latch done(500);
  WorkerPool pool(3);
  std::vector<std::unique_ptr<Counter>> jobs;
  for (int i = 0; i < 500; ++i) jobs.push_back(std::make_unique<Counter>(runs, done));
  for (const auto& job : jobs) pool.submit(*job);
  done.wait();
  EXPECT_EQ(runs, 500);
}

TEST(WorkerPool, RunsWhatIsQueuedBeforeItEnds) {
  std::atomic<int> runs{0};
  std::latch done(50);
  std::vector<std::unique_ptr<Counter>> jobs;
  for (int i = 0; i < 50; ++i) jobs.push_back(std::make_unique<Counter>(runs, done));
  {
    WorkerPool pool(1);
    for (const auto& job : jobs) pool.submit(*job);
  }
  EXPECT_EQ(runs, 50);
}

struct Priority final : Job {
  void run() noexcept override {
    niceness = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
    done.count_down();
  }
  int niceness = -100;
  std::latch done{1};
};

TEST(WorkerPool, WorkersAreNicerThanWhoMadeThem) {
  const int own = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
  Priority job;
  WorkerPool pool(1);
  pool.submit(job);
  job.done.wait();
  EXPECT_EQ(job.niceness, std::min(own + WorkerPool::niceness, 19));
}

}  // namespace
}  // namespace headrace::gpu::cpu
