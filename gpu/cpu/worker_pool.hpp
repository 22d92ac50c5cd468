#pragma once
// Threads that run jobs first in, first out, at a lower priority than the threads that serve the network. They take no
// signals that are meant for the process.

#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>
#include <vector>

namespace headrace::gpu::cpu {

/// Something that a worker runs once per submit. Owned by the submitter, who keeps it until it has run. The queue is a
/// chain through the jobs themselves: as many places as there are jobs, and nothing to allocate.
class Job {
 public:
  virtual void run() noexcept = 0;

 protected:
  ~Job() = default;

 private:
  friend class WorkerPool;
  Job* next_ = nullptr;
};

class WorkerPool {
 public:
  /// How much nicer (as in nice(2)) workers are than the thread that made the pool.
  static constexpr int niceness = 5;

  /// At least one worker (asserted). Throws std::system_error when a thread cannot be started.
  explicit WorkerPool(std::uint32_t workers);
  /// Runs what is queued, then ends the workers.
  ~WorkerPool();
  WorkerPool(const WorkerPool&) = delete;
  WorkerPool& operator=(const WorkerPool&) = delete;

  /// `job` must not be queued already. From any thread.
  void submit(Job& job) noexcept;

 private:
  void work(std::uint32_t worker) noexcept;
  void stop() noexcept;

  std::mutex mutex_;
  std::condition_variable wake_;
  Job* first_ = nullptr;  // guarded by mutex_, as are the next two
  Job* last_ = nullptr;
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace headrace::gpu::cpu
