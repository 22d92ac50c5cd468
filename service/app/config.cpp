#include "service/app/config.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <map>
#include <memory>

#include "service/app/version.hpp"

namespace headrace::app {

namespace {

using Milliseconds = std::chrono::milliseconds;

std::string environment(const std::string& name) {
  const char* const value = std::getenv(name.c_str());
  return value == nullptr ? std::string() : std::string(value);
}

/// "memory-budget" → "HEADRACE_MEMORY_BUDGET".
std::string variable_of(const std::string& option) {
  std::string name = "HEADRACE_" + option;
  std::transform(name.begin(), name.end(), name.begin(), [](char c) {
    return c == '-' ? '_' : static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  });
  return name;
}

// One option has two names, and so its variable.
constexpr const char* device_variable = "HEADRACE_DEVICE";
constexpr const char* devices_variable = "HEADRACE_DEVICES";

bool is_device(const std::string& option) { return option == "device" || option == "devices"; }

/// Which of the two is set; at most one may be.
const char* device_variable_in_use() {
  if (environment(devices_variable).empty()) return device_variable;
  if (environment(device_variable).empty()) return devices_variable;
  throw CLI::ValidationError("HEADRACE_DEVICE, HEADRACE_DEVICES", "expected one of them, both are set");
}

// The library lets the file go before the environment; what a variable says is taken out of the file here.
class FileBelowEnvironment final : public CLI::ConfigTOML {
 public:
  std::vector<CLI::ConfigItem> from_config(std::istream& in) const override {
    auto items = CLI::ConfigTOML::from_config(in);
    std::erase_if(items, [](const CLI::ConfigItem& item) {
      const auto variable = is_device(item.name) ? device_variable_in_use() : variable_of(item.name);
      return !environment(variable).empty();
    });
    return items;
  }
};

/// "250ms", "10s", "2m"; a bare number is seconds.
Milliseconds parse_duration(const std::string& option, const std::string& text) {
  static const std::map<std::string, double> units{{"ms", 1.0}, {"s", 1'000.0}, {"", 1'000.0}, {"m", 60'000.0}};
  std::size_t used = 0;
  double value = -1;
  try {
    value = std::stod(text, &used);
  } catch (const std::exception&) {
    used = 0;
  }
  const auto unit = units.find(text.substr(used));
  if (used == 0 || !(value >= 0 && value <= 1e6) || unit == units.end()) {
    throw CLI::ValidationError(option, "expected a duration such as 250ms, 10s or 2m, got '" + text + "'");
  }
  return Milliseconds(static_cast<std::int64_t>(value * unit->second));
}

/// "4096", "64K", "16MiB", "2G": powers of 1024. The library's own reading takes -1 for the largest number.
std::uint64_t parse_size(const std::string& option, const std::string& text) {
  static const std::map<std::string, unsigned> shifts{{"", 0},     {"B", 0},   {"K", 10},   {"KB", 10}, {"KIB", 10},
                                                      {"M", 20},   {"MB", 20}, {"MIB", 20}, {"G", 30},  {"GB", 30},
                                                      {"GIB", 30}, {"T", 40},  {"TB", 40},  {"TIB", 40}};
  std::uint64_t value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, value);
  std::string unit(rest, end);
  std::transform(unit.begin(), unit.end(), unit.begin(),
                 [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  const auto shift = shifts.find(unit);
  if (error != std::errc{} || shift == shifts.end() || value > UINT64_MAX >> shift->second) {
    throw CLI::ValidationError(option, "expected a size such as 4096, 64K, 16M or 2G, got '" + text + "'");
  }
  return value << shift->second;
}

CLI::Option* add_size(CLI::App& app, const std::string& name, std::uint64_t& into, const std::string& text) {
  return app
      .add_option_function<std::string>(
          name, [name, &into](const std::string& value) { into = parse_size(name, value); }, text)
      ->type_name("SIZE");
}

CLI::Option* add_duration(CLI::App& app, const std::string& name, Milliseconds& into, const std::string& text) {
  return app.add_option_function<std::string>(
      name, [name, &into](const std::string& value) { into = parse_duration(name, value); }, text);
}

void add_serve_addresses(CLI::App& serve, ServeConfig& config) {
  serve.add_option("--models", config.models, "Model repository: a folder of model folders")
      ->envname("HEADRACE_MODELS")
      ->capture_default_str();
  serve.add_option("--http", config.http, "Data plane, ADDRESS:PORT; port 0 picks a free one")
      ->envname("HEADRACE_HTTP")
      ->capture_default_str();
  serve.add_option("--admin", config.admin, "Admin plane (metrics), ADDRESS:PORT; port 0 picks a free one")
      ->envname("HEADRACE_ADMIN")
      ->capture_default_str();
  serve
      .add_option("--require-model", config.require_models,
                  "Ready only when this model is loaded; 'all' for every folder")
      ->envname("HEADRACE_REQUIRE_MODEL");
}

void add_serve_devices(CLI::App& serve, ServeConfig& config) {
  static const std::map<std::string, OnDeviceLost> reactions{{"exit", OnDeviceLost::exit},
                                                             {"stay", OnDeviceLost::stay}};
  serve
      .add_option("--device,--devices", config.device,
                  "auto, cpu, cuda (every GPU), cuda:0,1 or just 0,1; auto takes GPUs where there are any")
      ->envname(device_variable_in_use())
      ->join(',')
      ->capture_default_str();
  const auto limit = [&config](const std::string& text) {
    config.flight_limit = parse_duration("--flight-limit", text);
    if (config.flight_limit.count() > 0) return;
    throw CLI::ValidationError("--flight-limit", "expected a duration above 0 such as 30s, got '" + text + "'");
  };
  serve
      .add_option_function<std::string>("--flight-limit", limit,
                                        "A GPU that takes longer for one batch counts as lost [30s]")
      ->envname("HEADRACE_FLIGHT_LIMIT");
  serve
      .add_option("--on-device-lost", config.on_device_lost,
                  "When no device is left: exit (with status 70) or stay, not ready [exit]")
      ->envname("HEADRACE_ON_DEVICE_LOST")
      ->transform(CLI::CheckedTransformer(reactions).description(""));
}

void add_serve_sizes(CLI::App& serve, ServeConfig& config) {
  serve.add_option("--io-threads", config.io_threads, "Threads for connections; 0 derives it from the cores")
      ->envname("HEADRACE_IO_THREADS")
      ->check(CLI::Range(0, 256))
      ->capture_default_str();
  serve.add_option("--slots", config.slots, "Batches in flight per device")
      ->envname("HEADRACE_SLOTS")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  add_size(serve, "--slot-size", config.slot_bytes, "Device memory for one batch's widest rows, twice per slot [4M]")
      ->envname("HEADRACE_SLOT_SIZE");
  add_size(serve, "--memory-budget", config.memory_budget, "Memory for all request buffers; 0 derives it [0]")
      ->envname("HEADRACE_MEMORY_BUDGET");
  add_size(serve, "--max-body", config.max_body, "Largest request body [64M]")->envname("HEADRACE_MAX_BODY");
  serve
      .add_option("--max-connections", config.max_connections, "Connections at once; more wait in the kernel's backlog")
      ->envname("HEADRACE_MAX_CONNECTIONS")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
}

void add_serve_times(CLI::App& serve, ServeConfig& config) {
  add_duration(serve, "--drain-delay", config.drain_delay,
               "After SIGTERM: ready is 503, but everything is still served [0s]")
      ->envname("HEADRACE_DRAIN_DELAY");
  add_duration(serve, "--drain-timeout", config.drain_timeout,
               "After the delay: how long what is in flight may take [30s]")
      ->envname("HEADRACE_DRAIN_TIMEOUT");
}

void add_serve_log(CLI::App& serve, ServeConfig& config) {
  static const std::map<std::string, telemetry::LogLevel> levels{{"debug", telemetry::LogLevel::debug},
                                                                 {"info", telemetry::LogLevel::info},
                                                                 {"warning", telemetry::LogLevel::warning},
                                                                 {"error", telemetry::LogLevel::error}};
  static const std::map<std::string, telemetry::LogFormat> formats{{"text", telemetry::LogFormat::text},
                                                                   {"json", telemetry::LogFormat::json}};
  serve.add_option("--log-level", config.log_level, "debug, info, warning or error [info]")
      ->envname("HEADRACE_LOG_LEVEL")
      ->transform(CLI::CheckedTransformer(levels).description(""));
  serve.add_option("--log-format", config.log_format, "text or json, on standard error [text]")
      ->envname("HEADRACE_LOG_FORMAT")
      ->transform(CLI::CheckedTransformer(formats).description(""));
}

}  // namespace

bool parse_command_line(int argc, const char* const* argv, CommandLine& out, CommandLineExit& exit) {
  CLI::App app("headrace: an async GPU streaming service", "headrace");
  app.set_version_flag("--version", std::string("headrace ") + version);
  // A file that a variable names must be there, as one that a flag names must.
  const auto file = environment("HEADRACE_CONFIG");
  app.set_config("--config", file, "Read options from this file (TOML; one table per subcommand, such as [serve])",
                 !file.empty())
      ->envname("HEADRACE_CONFIG");
  app.config_formatter(std::make_shared<FileBelowEnvironment>());
  app.allow_config_extras(CLI::config_extras_mode::error);
  app.require_subcommand(1);
  app.fallthrough();

  auto* const serve = app.add_subcommand("serve", "Serve a model repository over HTTP");
  auto* const models =
      app.add_subcommand("models", "List the operators, or check a model repository without serving it");
  models->add_option("--check", out.models.check,
                     "Load every model of this repository and report each mistake in one line");

  try {
    add_serve_addresses(*serve, out.serve);
    add_serve_devices(*serve, out.serve);
    add_serve_sizes(*serve, out.serve);
    add_serve_times(*serve, out.serve);
    add_serve_log(*serve, out.serve);
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    exit.status = app.exit(error) == 0 ? 0 : 2;
    return false;
  }
  auto& device = out.serve.device;
  if (!device.empty() && std::isdigit(static_cast<unsigned char>(device.front())) != 0) device.insert(0, "cuda:");
  out.command = models->parsed() ? Command::models : Command::serve;
  return true;
}

}  // namespace headrace::app
