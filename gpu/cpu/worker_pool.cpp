#include "gpu/cpu/worker_pool.hpp"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cassert>
#include <cerrno>
#include <string>

namespace headrace::gpu::cpu {
namespace {

// On Linux the nice value belongs to the thread, whatever POSIX says. Where the system refuses, workers stay as they
// are.
void lower_priority() noexcept {
  const auto thread = static_cast<id_t>(::gettid());
  errno = 0;
  const int now = ::getpriority(PRIO_PROCESS, thread);
  if (errno == 0) static_cast<void>(::setpriority(PRIO_PROCESS, thread, now + WorkerPool::niceness));
}

/// While it lives, threads that are started take none of the signals that are meant for the process: a SIGTERM belongs
/// to whoever drains the service. Faults stay with the thread that makes them.
class SignalsHeldBack {
 public:
  SignalsHeldBack() noexcept {
    sigset_t held;
    ::sigfillset(&held);
    for (const int fault : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF}) ::sigdelset(&held, fault);
    ::pthread_sigmask(SIG_BLOCK, &held, &before_);
  }
  ~SignalsHeldBack() { ::pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsHeldBack(const SignalsHeldBack&) = delete;
  SignalsHeldBack& operator=(const SignalsHeldBack&) = delete;

 private:
  sigset_t before_;
};

}  // namespace

WorkerPool::WorkerPool(std::uint32_t workers) {
  assert(workers > 0);
  const SignalsHeldBack held_back;
  try {
    for (std::uint32_t i = 0; i < workers; ++i) threads_.emplace_back([this, i] { work(i); });
  } catch (...) {
    stop();
    throw;
  }
}

WorkerPool::~WorkerPool() { stop(); }

void WorkerPool::submit(Job& job) noexcept {
  {
    const std::lock_guard lock(mutex_);
    job.next_ = nullptr;
    (last_ == nullptr ? first_ : last_->next_) = &job;
    last_ = &job;
  }
  wake_.notify_one();
}

void WorkerPool::work(std::uint32_t worker) noexcept {
  ::pthread_setname_np(::pthread_self(), ("headrace-cpu" + std::to_string(worker % 1000)).c_str());
  lower_priority();
  std::unique_lock lock(mutex_);
  for (;;) {
    wake_.wait(lock, [this] { return first_ != nullptr || stopping_; });
    if (first_ == nullptr) return;
    Job* const job = first_;
    first_ = job->next_;
    if (first_ == nullptr) last_ = nullptr;
    lock.unlock();
    job->run();
    lock.lock();
  }
}

void WorkerPool::stop() noexcept {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_all();
  for (std::thread& thread : threads_) thread.join();
}

}  // namespace headrace::gpu::cpu
