#pragma once
// What `headrace serve` can be told: by flag, by environment (HEADRACE_…) or by file, in this order of precedence.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "service/telemetry/log.hpp"

namespace headrace::app {

/// What to do when no device is left that could serve.
enum class OnDeviceLost : std::uint8_t {
  exit,  // answer what is in flight and end with exit_device_lost, so that a supervisor starts the process anew
  stay,  // not ready, and every request is refused, until a signal comes
};

struct ServeConfig {
  std::string models = "deploy/models";      // the model repository
  std::string http = "127.0.0.1:8000";       // data plane
  std::string admin = "127.0.0.1:8002";      // admin plane
  std::string device = "auto";               // auto | cpu | cuda | cuda:0,1
  std::chrono::milliseconds flight_limit{30'000};  // a batch that takes longer on the device means that it is lost
  OnDeviceLost on_device_lost = OnDeviceLost::exit;
  std::uint32_t io_threads = 0;              // 0: derived from the cores
  std::uint32_t slots = 4;                   // per device
  std::uint64_t slot_bytes = 4u << 20;       // device memory for one batch's widest rows, twice per slot
  std::uint64_t memory_budget = 0;           // bytes for all request buffers; 0: derived
  std::uint64_t max_body = 64u << 20;        // bytes of one request body
  std::uint32_t max_connections = 16384;
  std::chrono::milliseconds drain_delay{0};        // ready is 503, everything is still served
  std::chrono::milliseconds drain_timeout{30'000}; // what is in flight may take that long
  std::vector<std::string> require_models;   // ready only when these are loaded; "all": every folder
  telemetry::LogLevel log_level = telemetry::LogLevel::info;
  telemetry::LogFormat log_format = telemetry::LogFormat::text;
};

struct ModelsConfig {
  std::string check;  // a model repository to load without serving; empty: list the operators
};

enum class Command : std::uint8_t { serve, models };

struct CommandLine {
  Command command = Command::serve;
  ServeConfig serve;
  ModelsConfig models;
};

/// What to do instead of going on: text was printed (help, version) or the arguments are wrong.
struct CommandLineExit {
  int status = 0;
};

/// Prints help and errors itself. Returns the exit status through `exit` when the program should end.
bool parse_command_line(int argc, const char* const* argv, CommandLine& out, CommandLineExit& exit);

}  // namespace headrace::app
