#include "service/telemetry/log.hpp"

#include <spdlog/async.h>
#include <spdlog/async_logger.h>
#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>

#include <pthread.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <memory>
#include <mutex>
#include <span>
#include <stdexcept>
#include <vector>

#include "service/telemetry/log_line.hpp"
#include "service/telemetry/rate_window.hpp"

namespace headrace::telemetry {
namespace {

constexpr std::size_t queued_lines_max = 8192;

struct Writer {
  LogLevel level;
  LogFormat format;
  std::shared_ptr<spdlog::details::thread_pool> pool;
  std::shared_ptr<spdlog::async_logger> logger;
};

std::atomic<Writer*> current{nullptr};

/// Writers are kept to the process's end: a thread may still hold one that was stopped. There is one a start.
std::vector<std::unique_ptr<Writer>>& writers() {
  static std::vector<std::unique_ptr<Writer>> all;
  return all;
}

/// A thread that starts meanwhile takes no signals: a SIGTERM must not land, and end the process, on a thread
/// that nobody told to wait for it.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

std::shared_ptr<spdlog::details::thread_pool> start_writing() {
  const SignalsBlocked blocked;
  return std::make_shared<spdlog::details::thread_pool>(queued_lines_max, 1);
}

spdlog::sink_ptr open_sink(const std::string& path) {
  if (path.empty()) return std::make_shared<spdlog::sinks::stderr_sink_mt>();
  try {
    return std::make_shared<spdlog::sinks::basic_file_sink_mt>(path);
  } catch (const spdlog::spdlog_ex& error) {
    throw std::runtime_error("the log file cannot be opened: " + std::string(error.what()));
  }
}

void write(const Writer& writer, LogLevel level, std::string_view message, std::span<const LogField> fields) {
  const std::string line = log_line(writer.format, {std::chrono::system_clock::now(), level, message, fields});
  writer.logger->log(spdlog::level::info, spdlog::string_view_t(line.data(), line.size()));
}

/// With no writer there is no service yet, or none any more: trouble goes straight to standard error.
void write_unqueued(LogLevel level, std::string_view message, std::span<const LogField> fields) {
  if (level < LogLevel::warning) return;
  const std::string line = log_line(LogFormat::text, {std::chrono::system_clock::now(), level, message, fields}) + '\n';
  std::fwrite(line.data(), 1, line.size(), stderr);
}

void log_fields(LogLevel level, std::string_view message, std::span<const LogField> fields) noexcept {
  try {
    const Writer* const writer = current.load(std::memory_order_acquire);
    if (writer == nullptr) {
      write_unqueued(level, message, fields);
    } else if (level >= writer->level) {
      write(*writer, level, message, fields);
    }
  } catch (...) {  // no memory for a line: the line is lost, the caller goes on
  }
}

}  // namespace

void log_start(LogLevel level, LogFormat format, const std::string& path) {
  log_stop();
  auto writer = std::make_unique<Writer>();
  writer->level = level;
  writer->format = format;
  auto sink = open_sink(path);
  writer->pool = start_writing();
  writer->logger = std::make_shared<spdlog::async_logger>("headrace", std::move(sink), writer->pool,
                                                          spdlog::async_overflow_policy::overrun_oldest);
  writer->logger->set_pattern("%v");
  writer->logger->flush_on(spdlog::level::info);
  writer->logger->set_error_handler([](const std::string&) {});  // a full disk must not fill standard error as well
  writers().push_back(std::move(writer));
  current.store(writers().back().get(), std::memory_order_release);
}

void log_stop() noexcept {
  Writer* const writer = current.exchange(nullptr, std::memory_order_acq_rel);
  if (writer == nullptr) return;
  try {
    const std::size_t lost = writer->pool->overrun_counter();
    if (lost > 0) {
      const std::vector<LogField> fields{{"lines", std::to_string(lost)}};
      write(*writer, LogLevel::warning, "the log's queue was full: its oldest lines were dropped", fields);
    }
    writer->pool.reset();  // waits until the queue is written
  } catch (...) {}
}

void log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) noexcept {
  log_fields(level, message, fields);
}

struct LogThrottle::Impl {
  explicit Impl(std::uint32_t lines_per_second_max) noexcept : window(lines_per_second_max) {}
  RateWindow window;
};

LogThrottle::LogThrottle(std::uint32_t lines_per_second_max) : impl_(std::make_unique<Impl>(lines_per_second_max)) {}
LogThrottle::~LogThrottle() = default;

void LogThrottle::log(LogLevel level, std::string_view message, std::initializer_list<LogField> fields) noexcept {
  if (!impl_->window.admit(std::chrono::steady_clock::now())) return;
  const std::uint64_t suppressed = impl_->window.take_refused();
  if (suppressed == 0) return log_fields(level, message, fields);
  try {
    std::vector<LogField> all(fields);
    all.emplace_back("suppressed", std::to_string(suppressed));
    log_fields(level, message, all);
  } catch (...) {}
}

}  // namespace headrace::telemetry
