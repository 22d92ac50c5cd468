#include "service/app/models_command.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "gpu/ops/catalogue.hpp"
#include "service/models/repository.hpp"

namespace headrace::app {

namespace {

std::string ports(const std::vector<gpu::Port>& all) {
  std::string text;
  for (const auto& port : all)
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", port.name, port.type.to_string());
  return text;
}

void print_operators() {
  for (const auto* const op : gpu::catalogue()) {
    std::fputs(fmt::format("{:<10} {}\n", op->name, op->formula).c_str(), stdout);
    for (const auto& parameter : op->parameters) {
      const auto* const need = parameter.required ? " (required)" : "";
      std::fputs(fmt::format("           {}{}: {}\n", parameter.name, need, parameter.meaning).c_str(), stdout);
    }
  }
}

void print_model(const models::Model& model) {
  std::string steps;
  for (const auto& step : model.program->steps()) steps += fmt::format("{}{}", steps.empty() ? "" : " > ", step->op());
  std::fputs(
      fmt::format("{} version {}: {} -> {}\n  steps: {}\n  weights: {} bytes\n", model.name, model.version,
                  ports(model.program->inputs()), ports(model.program->outputs()), steps, model.program->weight_bytes())
          .c_str(),
      stdout);
}

}  // namespace

int models_command(const ModelsConfig& config) {
  if (config.check.empty()) {
    print_operators();
    return 0;
  }
  const auto repository = models::load_repository(config.check);
  for (const auto& model : repository.models) print_model(model);
  for (const auto& fault : repository.faults) std::fprintf(stderr, "%s\n", fault.message.c_str());
  return repository.faults.empty() ? 0 : 1;
}

}  // namespace headrace::app
