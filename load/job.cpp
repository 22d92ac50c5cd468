#include "load/job.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>

#include "load/fetch.hpp"
#include "load/model_info.hpp"

namespace headrace::load {
namespace {

constexpr unsigned status_ok = 200;
constexpr std::size_t bodies_to_repeat = 256;  // --verify compares repetitions, so bodies must come back soon

Result<ModelInfo> read_metadata_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string text((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>());
  if (!file) return fail(fmt::format("--metadata {}: cannot be read", path));
  auto model = parse_model_info(text, {});
  if (!model) return fail(fmt::format("--metadata {}: {}", path, model.error()));
  return model;
}

Result<ModelInfo> read_model(const RunOptions& options, const Endpoint& server, const std::string& path) {
  if (!options.metadata_file.empty()) return read_metadata_file(options.metadata_file);
  const auto metadata = fetch(server, options.target, path, options.timeout);
  if (!metadata) return fail(metadata.error());
  if (metadata->status != status_ok) {
    return fail(fmt::format("GET {}: status {}: {}", path, metadata->status, metadata->body));
  }
  const auto config = fetch(server, options.target, path + "/config", options.timeout);
  if (!config) return fail(config.error());
  return parse_model_info(metadata->body,
                          config->status == status_ok ? std::string_view(config->body) : std::string_view());
}

Result<void> apply_shapes(const RunOptions& options, ModelInfo& model) {
  for (const auto& [name, shape] : options.shapes) {
    const auto input =
        std::find_if(model.inputs.begin(), model.inputs.end(), [&](const TensorInfo& i) { return i.name == name; });
    if (input == model.inputs.end()) return fail(fmt::format("--shape: the model has no input '{}'", name));
    const auto fits = [](std::int64_t given, std::int64_t told) { return told == -1 || told == given; };
    if (!std::equal(shape.begin(), shape.end(), input->row_shape.begin(), input->row_shape.end(), fits)) {
      return fail(fmt::format("--shape: '{}' has rows of shape [{}], got [{}]", name, fmt::join(input->row_shape, ","),
                              fmt::join(shape, ",")));
    }
    input->row_shape = shape;
  }
  for (const TensorInfo& input : model.inputs) {
    if (std::find(input.row_shape.begin(), input.row_shape.end(), -1) != input.row_shape.end()) {
      return fail(fmt::format("input '{}' has rows of shape [{}]: name the free sizes by --shape {}:D,…", input.name,
                              fmt::join(input.row_shape, ","), input.name));
    }
  }
  return {};
}

Result<void> check_rows(const RunOptions& options, const ModelInfo& model) {
  if (model.max_batch_size != 0 && options.rows.max > model.max_batch_size) {
    return fail(fmt::format("--rows: '{}' takes at most {} rows a request, got {}", model.name, model.max_batch_size,
                            options.rows.max));
  }
  return {};
}

Result<std::vector<Rows>> make_inputs(const RunOptions& options, const ModelInfo& model) {
  if (options.input_file.empty()) return random_inputs(model, options.rows, options.seed);
  if (model.inputs.size() != 1) {
    return fail(fmt::format("--input serves models with one input; '{}' has {}", model.name, model.inputs.size()));
  }
  const TensorInfo& input = model.inputs.front();
  auto rows = read_npy(options.input_file);
  if (!rows) return fail("--input " + rows.error());
  if (rows->datatype() != input.datatype || rows->row_elements() != input.row_elements()) {
    return fail(fmt::format("--input {}: rows of {} {} elements, but input '{}' takes {} {}", options.input_file,
                            rows->row_elements(), proto::traits(rows->datatype()).name, input.name,
                            input.row_elements(), proto::traits(input.datatype).name));
  }
  std::vector<Rows> inputs;
  inputs.push_back(std::move(*rows));
  return inputs;
}

Result<std::optional<Expectations>> make_expectations(const RunOptions& options, const ModelInfo& model,
                                                      std::size_t input_rows, std::size_t bodies) {
  if (options.expect_file.empty()) {
    if (!options.verify) return std::nullopt;
    return Expectations::equal_answers(model, bodies, options.tolerance);
  }
  auto known = read_npy(options.expect_file);
  if (!known) return fail("--expect " + known.error());
  if (known->count() != input_rows) {
    return fail(fmt::format("--expect {}: holds {} rows, --input {}", options.expect_file, known->count(), input_rows));
  }
  return Expectations::known_rows(model, std::move(*known), options.rows, options.tolerance);
}

}  // namespace

Result<Job> prepare_job(const RunOptions& options, const Endpoint& server) {
  PayloadPlan plan;
  plan.authority = options.target.authority();
  if (options.raw_body_bytes) {
    plan.path = options.target.prefix;
    return Job{Payload::raw(plan, *options.raw_body_bytes), std::nullopt, 0};
  }
  const std::string path = options.target.model_path(options.model, options.version);
  auto model = read_model(options, server, path);
  if (!model) return fail(model.error());
  if (auto applied = apply_shapes(options, *model); !applied) return fail(applied.error());
  if (auto checked = check_rows(options, *model); !checked) return fail(checked.error());
  auto inputs = make_inputs(options, *model);
  if (!inputs) return fail(inputs.error());

  plan.path = path + "/infer";
  plan.format = options.format;
  plan.rows = options.rows;
  plan.seed = options.seed;
  plan.with_id = options.verify || !options.expect_file.empty();
  if (plan.with_id && options.expect_file.empty()) plan.bodies_max = bodies_to_repeat;
  const std::size_t input_rows = inputs->front().count();
  Job job{Payload::prepare(plan, *model, std::move(*inputs)), std::nullopt, input_rows};
  auto expectations = make_expectations(options, *model, input_rows, job.payload.bodies().size());
  if (!expectations) return fail(expectations.error());
  job.expectations = std::move(*expectations);
  return job;
}

}  // namespace headrace::load
