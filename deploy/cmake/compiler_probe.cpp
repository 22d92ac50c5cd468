// Run at configure time: a few of the cases in which a compiler is known to destroy temporaries of a full-expression
// with co_await twice (seen with g++ 12.2; clang 14 to 19 pass). Exit status 0: the compiler may be used.
// Every object counts itself, so that a second destruction shows as a negative balance instead of a crash.
#include <coroutine>
#include <cstdio>
#include <memory>
#include <set>
#include <string>
#include <utility>

namespace {
std::set<const void*> alive;
int faults = 0;

struct Counted {
  Counted() { born(); }
  Counted(const Counted&) { born(); }
  Counted(Counted&&) noexcept { born(); }
  Counted& operator=(const Counted&) = default;
  Counted& operator=(Counted&&) noexcept { return *this; }
  ~Counted() { if (alive.erase(this) == 0) ++faults; }
  void born() { if (!alive.insert(this).second) ++faults; }
};

struct Aggregate {
  int number = 0;
  Counted counted;
};

struct Task {
  struct promise_type {
    Task get_return_object() { return Task{std::coroutine_handle<promise_type>::from_promise(*this)}; }
    std::suspend_always initial_suspend() noexcept { return {}; }
    auto final_suspend() noexcept {
      struct Back {
        bool await_ready() noexcept { return false; }
        std::coroutine_handle<> await_suspend(std::coroutine_handle<promise_type> self) noexcept {
          auto next = self.promise().continuation;
          return next ? next : std::noop_coroutine();
        }
        void await_resume() noexcept {}
      };
      return Back{};
    }
    void return_value(int v) { value = v; }
    void unhandled_exception() { ++faults; }
    std::coroutine_handle<> continuation;
    int value = 0;
  };
  explicit Task(std::coroutine_handle<promise_type> h) : handle(h) {}
  Task(Task&& other) noexcept : handle(std::exchange(other.handle, {})) {}
  Task(const Task&) = delete;
  ~Task() { if (handle) handle.destroy(); }
  bool await_ready() const noexcept { return false; }
  std::coroutine_handle<> await_suspend(std::coroutine_handle<> waiter) {
    handle.promise().continuation = waiter;
    return handle;
  }
  int await_resume() { return handle.promise().value; }
  std::coroutine_handle<promise_type> handle;
};

Task take(Aggregate a) { co_return a.number; }
Task take_default(Aggregate a = {}) { co_return a.number; }
Task one() { co_return 1; }

Task aggregate_temporary() { co_return co_await take(Aggregate{1, Counted{}}); }
Task braced_temporary() { co_return co_await take({2, {}}); }
Task default_argument() { co_return co_await take_default(); }
Task aggregate_of_awaits() {
  Aggregate a{co_await one(), Counted{}};
  co_return a.number;
}
Task capturing_lambda() {
  Counted counted;
  co_return co_await [counted]() -> Task { co_return co_await one(); }();
}
Task conditional(bool first) { co_return co_await take(first ? Aggregate{1, {}} : Aggregate{2, {}}); }

void run(const char* name, Task task) {
  const int before = faults;
  task.handle.resume();
  if (!task.handle.done()) ++faults;
  if (faults != before) std::printf("%s ", name);
}
}  // namespace

int main() {
  run("aggregate_temporary", aggregate_temporary());
  run("braced_temporary", braced_temporary());
  run("default_argument", default_argument());
  run("aggregate_of_awaits", aggregate_of_awaits());
  run("capturing_lambda", capturing_lambda());
  run("conditional_true", conditional(true));
  run("conditional_false", conditional(false));
  if (!alive.empty()) ++faults;
  return faults == 0 ? 0 : 1;
}
