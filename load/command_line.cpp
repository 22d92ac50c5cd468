#include "load/command_line.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "load/arrivals_options.hpp"
#include "load/errors.hpp"
#include "load/option_values.hpp"

namespace headrace::load {
namespace {

constexpr std::uint32_t threads_max = 256;
constexpr std::uint32_t connections_max = 65'536;
constexpr std::uint32_t burst_max = 1'000'000;

template <class T>
T value_or_refuse(Result<T> result, const std::string& option) {
  if (!result) throw CLI::ValidationError(option, result.error());
  return std::move(*result);
}

bool names_an_error(std::string_view name) {
  if (std::find(error_kind_names.begin(), error_kind_names.end(), name) != error_kind_names.end()) return true;
  constexpr std::string_view prefix = "http_";
  if (!name.starts_with(prefix) || name.size() != prefix.size() + 3) return false;
  const std::string_view code = name.substr(prefix.size());
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  return code == "4xx" || code == "5xx" || std::all_of(code.begin(), code.end(), is_digit);
}

void add_shape_options(CLI::App& app, RawOptions& raw, CLI::Option* rate) {
  app.add_option("--arrivals", raw.arrivals, "open loop: evenly spaced, or Poisson by --seed")
      ->check(CLI::IsMember({"even", "poisson"}))
      ->capture_default_str()
      ->needs(rate);
  app.add_option("--burst", raw.burst, "open loop: send in bursts of N at once; the rate stays what it is")
      ->check(CLI::Range(1U, burst_max))
      ->capture_default_str()
      ->needs(rate);
  app.add_option("--connections", raw.connections, "open loop: connections that may be used")
      ->check(CLI::Range(1U, connections_max))
      ->capture_default_str();
}

/// NAME:D,D,…
Result<std::pair<std::string, std::vector<std::int64_t>>> parse_shape_option(std::string_view text) {
  const auto wrong = [text] {
    return fail(fmt::format("expected NAME:D,D,… with sizes of at least 1, got '{}'", text));
  };
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return wrong();
  std::vector<std::int64_t> shape;
  for (std::string_view rest = text.substr(colon + 1);;) {
    const std::size_t comma = rest.find(',');
    const auto size = parse_row_range(rest.substr(0, comma));
    if (!size || size->min != size->max) return wrong();
    shape.push_back(size->min);
    if (comma == std::string_view::npos) return std::pair(std::string(text.substr(0, colon)), std::move(shape));
    rest.remove_prefix(comma + 1);
  }
}

void finish_shape(const RawOptions& raw, RunOptions& options) {
  options.arrivals.poisson = raw.arrivals == "poisson";
  options.arrivals.burst = raw.burst;
  options.arrivals.seed = options.seed;
}

void finish_arrivals(const CLI::App& app, const RawOptions& raw, RunOptions& options) {
  if (app.count("--replay") != 0) {
    auto times = value_or_refuse(read_time_stamps(raw.replay_file), "--replay");
    options.arrivals_text = fmt::format("the {} times of {}", times.size(), raw.replay_file);
    const Duration end = times.back() + Duration(1);  // the last one is part of the plan
    if (options.warmup >= end) throw CLI::ValidationError("--warmup", "takes the whole replay");
    if (app.count("--duration") == 0 && !options.requests) options.duration = end - options.warmup;
    options.arrivals.replay = std::make_shared<const std::vector<Duration>>(std::move(times));
    return;
  }
  if (app.count("--rate") == 0) return;
  const Duration length = options.duration.value_or(Duration::zero());
  options.arrivals = value_or_refuse(parse_rate(raw.rate, options.warmup, length), "--rate");
  finish_shape(raw, options);
  options.arrivals_text = fmt::format("{} requests/s{}{}", raw.rate, options.arrivals.poisson ? ", Poisson" : "",
                                      raw.burst > 1 ? fmt::format(", in bursts of {}", raw.burst) : std::string());
}

}  // namespace

void add_load_options(CLI::App& app, RawOptions& raw) {
  auto* rate = app.add_option("--rate", raw.rate,
                              "open loop: requests a second, sent by plan whatever the answers do; N, A..B (a ramp "
                              "over the duration) or A,B,… (steps, equal parts of it)");
  auto* replay =
      app.add_option("--replay", raw.replay_file, "open loop: send at the times in this file, seconds, one a line")
          ->excludes(rate);
  add_shape_options(app, raw, rate);
  app.add_option("--concurrency", raw.concurrency, "closed loop: connections, each with one request under way")
      ->check(CLI::Range(1U, connections_max))
      ->capture_default_str()
      ->excludes(rate)
      ->excludes(replay);
}

void add_repeat_option(CLI::App& app, RunOptions& options) {
  constexpr std::uint32_t repeat_max = 10'000;
  app.add_option("--repeat", options.repeat, "so many runs, reported together with their spread")
      ->check(CLI::Range(1U, repeat_max))
      ->capture_default_str();
}

void add_level_options(CLI::App& app, RawOptions& raw) {
  auto* rate = app.add_option("--rate", raw.rate,
                              "open loop: requests a second of each level; A,B,… or A..B (ten, evenly spaced)");
  add_shape_options(app, raw, rate);
  app.add_option("--concurrency", raw.concurrency_levels,
                 "closed loop: connections of each level; A,B,… or A..B (doubling)")
      ->capture_default_str()
      ->excludes(rate);
}

void add_common_options(CLI::App& app, RawOptions& raw, RunOptions& options) {
  app.add_option("--model", options.model, "the model's name");
  app.add_option("--version", options.version, "the model's version; else the server chooses");
  auto* duration =
      app.add_option("--duration", raw.duration, "how long to measure; a replay: to its end")->capture_default_str();
  app.add_option("--requests", raw.requests, "measure so many requests instead")
      ->check(CLI::Range(std::uint64_t{1}, std::uint64_t{1} << 48))
      ->excludes(duration);
  app.add_option("--warmup", raw.warmup, "send for so long before measuring")->capture_default_str();
  app.add_option("--threads", options.threads, "I/O threads")
      ->check(CLI::Range(1U, threads_max))
      ->capture_default_str();
  app.add_option("--timeout", raw.timeout, "give a request up after that time")->capture_default_str();
  app.add_option("--rows", raw.rows, "rows a request, N or A..B (uniform)")->capture_default_str();
  app.add_option("--format", raw.format, "how tensors travel")
      ->check(CLI::IsMember({"binary", "json"}))
      ->capture_default_str();
  app.add_option("--seed", options.seed, "of random rows and row counts")->capture_default_str();
  app.add_option("--shape", raw.shapes, "NAME:D,D,… a row's shape, for an input with free dimensions");
  app.add_option("--metadata", options.metadata_file,
                 "read the model's metadata from this JSON file, for a server that does not tell it");
  auto* input =
      app.add_option("--input", options.input_file, ".npy file whose rows are sent in turn; else random rows");
  app.add_option("--expect", options.expect_file, ".npy file: the first output's row for each row of --input")
      ->needs(input);
  app.add_option("--tolerance", options.tolerance, "of checked floats: |got - want| <= T x max(1, |want|)")
      ->check(CLI::NonNegativeNumber)
      ->capture_default_str();
  app.add_flag("--verify", options.verify, "check that equal requests get equal answers, each with its own id");
  app.add_option("--allow-errors", raw.allowed_errors, "kinds that do not fail the run: timeout,http_429,http_5xx,…")
      ->delimiter(',');
  app.add_option("--slo", raw.slo,
                 "what must be reached, else exit status 1: p99=5ms,errors=0,throughput=1000; p50, p90, p99, p99.9, "
                 "p99.99, max; errors also in %");
  app.add_option("--csv", options.csv_file, "write one line a run there as CSV; - is standard output");
  app.add_option("--html", options.html_file, "write a report with plots there, one file that needs nothing else");
  app.add_option("--json", options.json_file, "write the report there as JSON; - is standard output");
  app.add_flag("--quiet", options.quiet, "no text on standard output");
  app.add_option("--raw-body", raw.raw_body_bytes, "POST so many fixed bytes to the URL's path instead of a request")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 30))
      ->group("");
}

void finish_common(const CLI::App& app, const RawOptions& raw, RunOptions& options) {
  options.warmup = value_or_refuse(parse_duration(raw.warmup, true), "--warmup");
  options.timeout = value_or_refuse(parse_duration(raw.timeout), "--timeout");
  options.rows = value_or_refuse(parse_row_range(raw.rows), "--rows");
  options.format = raw.format == "json" ? Format::json : Format::binary;
  if (app.count("--requests") != 0) {
    options.requests = raw.requests;
  } else
    options.duration = value_or_refuse(parse_duration(raw.duration), "--duration");
  if (app.count("--slo") != 0) options.objectives = value_or_refuse(parse_objectives(raw.slo), "--slo");
  if (app.count("--json") != 0 && options.json_file == "-" && options.csv_file == "-") {
    throw CLI::ValidationError("--csv", "standard output is the --json's");
  }
  if (app.count("--raw-body") != 0) options.raw_body_bytes = raw.raw_body_bytes;
  for (const std::string& text : raw.shapes) {
    options.shapes.insert(value_or_refuse(parse_shape_option(text), "--shape"));
  }
  for (const std::string& name : raw.allowed_errors) {
    if (!names_an_error(name)) {
      throw CLI::ValidationError(
          "--allow-errors", fmt::format("unknown kind '{}'; known: {}, http_429 and the like, http_4xx, http_5xx", name,
                                        fmt::join(error_kind_names, ", ")));
    }
    options.allowed_errors.insert(name);
  }
  if (options.raw_body_bytes && (options.verify || !options.expect_file.empty() || !options.input_file.empty())) {
    throw CLI::ValidationError("--raw-body", "its answers cannot be checked and it takes no input");
  }
  if (!options.raw_body_bytes && options.model.empty()) throw CLI::RequiredError("--model");
}

void finish_load(const CLI::App& app, const RawOptions& raw, RunOptions& options) {
  finish_arrivals(app, raw, options);
  const bool open_loop = options.arrivals.open_loop();
  if (!open_loop && app.count("--connections") != 0) {
    throw CLI::ValidationError("--connections",
                               "is for an open loop (--rate or --replay); a closed one has --concurrency");
  }
  options.connections = open_loop ? raw.connections : raw.concurrency;
  options.threads = std::min(options.threads, options.connections);
}

void finish_levels(const CLI::App& app, const RawOptions& raw, SweepOptions& options) {
  options.by_rate = app.count("--rate") != 0;
  RunOptions& run = options.run;
  if (options.by_rate) {
    options.levels = value_or_refuse(parse_rate_levels(raw.rate), "--rate");
    run.arrivals.rate = options.levels.front();
    finish_shape(raw, run);
    run.connections = raw.connections;
    return;
  }
  if (app.count("--connections") != 0) throw CLI::ValidationError("--connections", "is for a sweep by --rate");
  options.levels = value_or_refuse(parse_concurrency_levels(raw.concurrency_levels, connections_max), "--concurrency");
  run.connections = static_cast<std::uint32_t>(options.levels.back());
}

Target finish_target(const std::string& url) { return value_or_refuse(parse_target(url), "--url"); }

}  // namespace headrace::load
