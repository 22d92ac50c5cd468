#include <cstdio>
#include <exception>

#include "service/app/config.hpp"
#include "service/app/lifetime.hpp"
#include "service/app/models_command.hpp"
#include "service/app/serve.hpp"

int main(int argc, char** argv) {
  using namespace headrace::app;
  try {
    CommandLine line;
    CommandLineExit exit;
    if (!parse_command_line(argc, argv, line, exit)) return exit.status;
    return line.command == Command::models ? models_command(line.models) : serve(line.serve);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "headrace: %s\n", error.what());
    return exit_failed_to_start;
  }
}
