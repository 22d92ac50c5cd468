#include "gpu/cpu/worker_pool.hpp"

#include <gtest/gtest.h>
#include <pthread.h>
#include <signal.h>
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

/// What a job sees of the thread that runs it.
struct ThreadState final : Job {
  void run() noexcept override {
    niceness = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
    ::pthread_sigmask(SIG_BLOCK, nullptr, &blocked);
    done.count_down();
  }
  int niceness = -100;
  sigset_t blocked{};
  std::latch done{1};
};

TEST(WorkerPool, WorkersAreNicerThanWhoMadeThem) {
  const int own = ::getpriority(PRIO_PROCESS, static_cast<id_t>(::gettid()));
  ThreadState job;
  WorkerPool pool(1);
  pool.submit(job);
  job.done.wait();
  EXPECT_EQ(job.niceness, std::min(own + WorkerPool::niceness, 19));
}

TEST(WorkerPool, WorkersLeaveSignalsToTheProcess) {
  sigset_t before;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &before);
  ThreadState job;
  WorkerPool pool(1);
  pool.submit(job);
  job.done.wait();
  EXPECT_EQ(::sigismember(&job.blocked, SIGTERM), 1);
  EXPECT_EQ(::sigismember(&job.blocked, SIGINT), 1);
  EXPECT_EQ(::sigismember(&job.blocked, SIGSEGV), 0);
  sigset_t after;
  ::pthread_sigmask(SIG_BLOCK, nullptr, &after);
  EXPECT_EQ(::sigismember(&after, SIGTERM), ::sigismember(&before, SIGTERM)) << "the maker's own mask is as it was";
}

}  // namespace
}  // namespace headrace::gpu::cpu
