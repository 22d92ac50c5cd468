#include "load/run.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <vector>

#include "load/fetch.hpp"
#include "load/job.hpp"
#include "load/worker.hpp"

namespace headrace::load {
namespace {

using namespace std::chrono_literals;

constexpr Duration open_loop_head_start = 10ms;  // threads are up before the first planned time

double seconds(Duration duration) noexcept { return std::chrono::duration<double>(duration).count(); }

double process_seconds() noexcept {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto of = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

/// The part of `whole` that falls to one of `threads`.
std::uint64_t share_of(std::uint64_t whole, std::uint64_t number, std::uint64_t threads) noexcept {
  return whole / threads + (number < whole % threads ? 1 : 0);
}

using Workers = std::vector<std::unique_ptr<Worker>>;

Workers make_workers(const RunOptions& options, const Endpoint& server, Job& job) {
  Workers workers;
  for (std::uint64_t i = 0; i < options.threads; ++i) {
    const Worker::Settings settings{i, options.threads, share_of(options.connections, i, options.threads), server,
                                    options.timeout};
    workers.push_back(std::make_unique<Worker>(settings, job.payload, job.expectations ? &*job.expectations : nullptr));
  }
  return workers;
}

void on_all_threads(Workers& workers, const std::function<void(Worker&, std::uint64_t)>& work) {
  std::vector<std::future<void>> threads;
  for (std::uint64_t i = 0; i < workers.size(); ++i) {
    threads.push_back(std::async(std::launch::async, [&work, &worker = *workers[i], i] { work(worker, i); }));
  }
  for (auto& thread : threads) thread.get();
}

RunPlan make_plan(const RunOptions& options) {
  RunPlan plan;
  plan.arrivals = options.arrivals;
  plan.start = Clock::now() + (plan.arrivals.open_loop() ? open_loop_head_start : Duration::zero());
  plan.measured_from = plan.start + options.warmup;
  if (options.duration) plan.end = plan.measured_from + *options.duration;
  return plan;
}

/// How long the measured part was meant to take; zero where only its last answer tells.
Duration planned_length(const RunOptions& options) {
  if (options.duration) return *options.duration;
  if (!options.requests || options.arrivals.rate <= 0) return Duration::zero();
  return Duration(static_cast<std::int64_t>(static_cast<double>(*options.requests) / options.arrivals.rate * 1e9));
}

/// Of the measured part, requests a second on average; 0 where only the end of the run tells.
double planned_rate(const RunOptions& options) {
  if (!options.duration) return options.arrivals.rate;
  const double planned = planned_requests(options.arrivals, options.warmup + *options.duration) -
                         planned_requests(options.arrivals, options.warmup);
  return planned / seconds(*options.duration);
}

Report describe(const RunOptions& options, const Job& job) {
  Report report;
  report.url = "http://" + options.target.authority() + options.target.prefix;
  report.model = options.raw_body_bytes ? std::string() : options.model;
  report.format = options.format == Format::json ? "json" : "binary";
  report.rows_per_request = options.rows.min == options.rows.max
                                ? fmt::format("{}", options.rows.min)
                                : fmt::format("{}..{}", options.rows.min, options.rows.max);
  report.open_loop = options.arrivals.open_loop();
  report.arrivals = options.arrivals_text;
  report.rate = planned_rate(options);
  report.connections = options.connections;
  report.threads = options.threads;
  report.warmup_seconds = seconds(options.warmup);
  report.input_rows = options.input_file.empty() ? 0 : job.input_rows;
  report.input_rows_covered = job.payload.rows_covered();
  report.checked = job.expectations.has_value();
  return report;
}

}  // namespace

Result<Report> run(const RunOptions& options, const std::atomic<bool>& stop) {
  const auto server = find_server(options.target, options.timeout);
  if (!server) return fail(server.error());
  auto job = prepare_job(options, *server);
  if (!job) return fail(job.error());
  Report report = describe(options, *job);

  Workers workers = make_workers(options, *server, *job);
  on_all_threads(workers, [](Worker& worker, std::uint64_t) { worker.open(); });
  const double cpu_before = process_seconds();
  const RunPlan plan = make_plan(options);
  on_all_threads(workers, [&](Worker& worker, std::uint64_t i) {
    const std::uint64_t quota = options.requests ? share_of(*options.requests, i, options.threads) : RunPlan::no_quota;
    worker.run(plan, quota, stop);
  });
  report.cpu_seconds = process_seconds() - cpu_before;
  for (const auto& worker : workers) {
    report.totals.merge(worker->recorder());
    report.busy = std::max(report.busy, worker->busy());
  }
  const Duration until_last = report.totals.last_end - plan.measured_from;
  const bool whole = !stop.load(std::memory_order_relaxed);
  report.seconds =
      report.totals.requests == 0 ? 0 : seconds(whole ? std::max(planned_length(options), until_last) : until_last);
  return report;
}

}  // namespace headrace::load
