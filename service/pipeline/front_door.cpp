#include "service/pipeline/front_door.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "proto/infer_response.hpp"
#include "service/pipeline/binding.hpp"
#include "service/pipeline/express.hpp"

namespace headrace::pipeline {

namespace {

using proto::ErrorCode;
using proto::fail;

/// Charged for the body, the outputs and the text together, by class size where the pool serves it.
std::uint64_t charge_of(const Reservation& need) noexcept {
  const auto pooled = [](std::size_t bytes) { return bytes == 0 ? std::size_t{0} : gpu::HostPool::class_bytes(bytes); };
  return pooled(need.body) + pooled(need.decoded) + pooled(need.output) + need.text;
}

bool take(gpu::HostPool& pool, std::size_t bytes, gpu::HostBuffer& into) noexcept {
  if (bytes == 0) return true;
  into = pool.take(bytes);
  return static_cast<bool>(into);
}

}  // namespace

FrontDoor::FrontDoor(gpu::HostPool& pool, const Slots& slots, telemetry::Metrics& metrics,
                     const FrontDoorLimits& limits)
    : pool_(pool), slots_(slots), metrics_(metrics), bytes_(limits.request_bytes_max), places_(limits.requests_max) {}

void FrontDoor::add(std::shared_ptr<ServedModel> model) {
  auto name = model->description.name;
  models_.emplace(std::move(name), std::move(model));
}

void FrontDoor::add_fault(std::string name, std::string reason) { faults_.emplace(std::move(name), std::move(reason)); }

proto::Result<std::shared_ptr<ServedModel>> FrontDoor::find(std::string_view name, std::string_view version) const {
  if (const auto found = models_.find(name); found != models_.end()) {
    const auto& served = found->second->description.version;
    if (version.empty() || version == served) return found->second;
    return fail(ErrorCode::not_found,
                fmt::format("model '{}': version {} is not served (expected {})", name, version, served));
  }
  if (const auto fault = faults_.find(name); fault != faults_.end()) {
    return fail(ErrorCode::not_ready, fmt::format("model '{}' is not ready: {}", name, fault->second));
  }
  return fail(ErrorCode::not_found, fmt::format("model '{}' is unknown", name.substr(0, 128)));
}

proto::Result<std::shared_ptr<Request>> FrontDoor::reserve(std::shared_ptr<ServedModel> model,
                                                           const ReservationInput& input, Mailbox& home,
                                                           std::shared_ptr<Request> reuse) {
  if (closed()) return fail(ErrorCode::draining, "the service is shutting down");
  if (device_lost()) return fail(ErrorCode::not_ready, "the device was lost");
  const auto need = reserve_for(input, model->description);
  const auto charge = charge_of(need);
  if (charge > bytes_.limit() || std::max({need.body, need.decoded, need.output}) > pool_.class_bytes_max()) {
    return fail(
        ErrorCode::payload_too_large,
        fmt::format("body: {} bytes need {} bytes of buffers, more than the memory budget of {} bytes can ever give",
                    input.body_bytes, charge, bytes_.limit()));
  }
  if (model->queue.size() >= model->queue_capacity) {
    return fail(ErrorCode::queue_full, fmt::format("model '{}': the queue is full ({} requests)",
                                                   model->description.name, model->queue_capacity));
  }
  auto place = places_.try_acquire(1);
  auto bytes = bytes_.try_acquire(charge);
  if (!place || !bytes) {
    return fail(ErrorCode::over_budget, place ? fmt::format("the memory budget of {} bytes is in use", bytes_.limit())
                                              : fmt::format("{} requests are in flight already", places_.limit()));
  }
  auto request = std::move(reuse);
  if (request && request.use_count() == 1) {
    request->reset();
  } else {
    request = std::make_shared<Request>();
  }
  if (!take(pool_, need.body, request->body) || !take(pool_, need.decoded, request->decoded) ||
      !take(pool_, need.output, request->output)) {
    return fail(ErrorCode::over_budget, fmt::format("the memory budget of {} bytes is in use", bytes_.limit()));
  }
  request->model = std::move(model);
  request->place = std::move(*place);
  request->bytes = std::move(*bytes);
  request->home = &home;
  request->body_offset = need.body_offset;
  request->body_bytes = static_cast<std::size_t>(input.body_bytes);
  request->text_bytes = need.text;
  if (input.json_bytes) request->json_bytes = static_cast<std::size_t>(*input.json_bytes);
  return request;
}

std::span<std::byte> FrontDoor::body_of(Request& request) noexcept {
  return {request.body.data() + request.body_offset, request.body_bytes};
}

proto::Result<void> FrontDoor::decode_inputs(Request& request, const Binding& binding) const {
  const auto& model = request.model->description;
  std::size_t used = 0;
  for (std::size_t i = 0; i < model.inputs.size(); ++i) {
    const auto& input = *binding.inputs[i];
    if (input.binary) {
      request.inputs[i] = input.bytes.data();
      continue;
    }
    const std::size_t bytes = binding.rows * row_bytes(model.inputs[i]);
    if (bytes > request.decoded.capacity() - used) {
      // More elements announced than the body's text can hold: the reservation is an upper bound of what it can.
      return proto::invalid(
          fmt::format("input '{}': data holds fewer elements than shape {}", input.name, input.shape.to_string()));
    }
    const std::span<std::byte> destination{request.decoded.data() + used, bytes};
    if (auto decoded = proto::decode_json_data(input, destination); !decoded) return decoded;
    request.inputs[i] = destination.data();
    used += align_up(bytes);
  }
  return {};
}

proto::Result<void> FrontDoor::prepare(Request& request, proto::InferRequestParser& parser) const {
  const auto& model = request.model->description;
  if (auto parsed = parser.parse(body_of(request), request.json_bytes, request.head); !parsed) return parsed;
  auto binding = bind_inputs(request.head, model);
  if (!binding) return tl::unexpected(std::move(binding.error()));
  auto selection = select_outputs(request.head, model);
  if (!selection) return tl::unexpected(std::move(selection.error()));
  request.selection = *selection;
  request.rows = binding->rows;
  request.input_count = static_cast<std::uint8_t>(model.inputs.size());
  request.output_count = static_cast<std::uint8_t>(model.outputs.size());
  if (auto decoded = decode_inputs(request, *binding); !decoded) return decoded;

  std::size_t used = 0;
  for (std::size_t i = 0; i < model.outputs.size(); ++i) {
    request.outputs[i] = request.output.data() + used;
    used += align_up(request.rows * row_bytes(model.outputs[i]));
  }
  if (used > request.output.capacity()) {
    return proto::invalid(
        fmt::format("inputs: {} rows are more than a body of {} bytes can hold", request.rows, request.body_bytes));
  }
  if (!request.selection.any_json()) request.bytes.shrink(std::exchange(request.text_bytes, 0));
  return {};
}

proto::Result<void> FrontDoor::submit(const std::shared_ptr<Request>& request) {
  auto& model = *request->model;
  const auto now = telemetry::Clock::now();
  const std::uint64_t own = request->head.timeout_us;
  const std::uint64_t models = model.description.timeout_us;
  const std::uint64_t timeout_us = own == 0 ? models : (models == 0 ? own : std::min(own, models));
  if (timeout_us != 0) {
    // A client may ask for any 64-bit number; beyond a day it is as good as none.
    constexpr std::uint64_t day_us = 86'400'000'000;
    request->deadline = now + std::chrono::microseconds(std::min(timeout_us, day_us));
  }
  request->timeline.end(telemetry::Stage::admit, now);
  const bool may_fly = express_ != nullptr && !closed();
  if (may_fly && express_->try_fly(request, requests_in_flight() == 1, now)) return {};
  QueuedRequest item;
  item.request = request;
  item.entry.rows = request->rows;
  item.entry.bytes = request->body_bytes;
  item.entry.enqueued = now;
  item.entry.deadline = request->deadline;
  const auto status = model.queue.try_push(item);
  if (status == PushStatus::closed) return fail(ErrorCode::draining, "the service is shutting down");
  if (status == PushStatus::full) {
    return fail(ErrorCode::queue_full, fmt::format("model '{}': the queue is full ({} requests)",
                                                   model.description.name, model.queue_capacity));
  }
  if (model.holding.load(std::memory_order_acquire)) {
    const auto view = model.queue.with_store([](const RequestBacklog& backlog) { return backlog.view(); });
    if (model.policy.decide(view, now).action == BatchDecision::Action::take) model.end_hold();
  }
  return {};
}

proto::Result<void> FrontDoor::answer(const Request& request, Answer& answer) {
  const auto& model = request.model->description;
  answer.clear();
  std::array<proto::OutputTensor, ports_max> outputs;
  std::size_t count = 0;
  for (const auto& wanted : request.selection.all()) {
    const auto& tensor = model.outputs[wanted.index];
    auto& output = outputs[count++];
    output.name = tensor.name;
    output.datatype = tensor.datatype;
    output.shape.push_back(request.rows);
    for (const auto dim : tensor.row_shape) output.shape.push_back(dim);
    output.bytes = {request.outputs[wanted.index], request.rows * row_bytes(tensor)};
    output.binary = wanted.binary;
    if (!wanted.binary) continue;
    answer.blobs[answer.blob_count++] = output.bytes;
    answer.blob_bytes += output.bytes.size();
  }
  const proto::InferResponse response{.id = request.head.id,
                                      .model_name = model.name,
                                      .model_version = model.version,
                                      .outputs = {outputs.data(), count}};
  return proto::encode_infer_response(response, answer.head);
}

void FrontDoor::close() noexcept {
  closed_.store(true, std::memory_order_release);
  for (const auto& [name, model] : models_) {
    model->queue.close();
    if (model->holding.load(std::memory_order_acquire)) model->end_hold();
  }
}

}  // namespace headrace::pipeline
