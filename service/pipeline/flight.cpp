#include "service/pipeline/flight.hpp"

#include <cassert>
#include <string>

#include "service/pipeline/mailbox.hpp"
#include "service/pipeline/request.hpp"
#include "service/pipeline/served_model.hpp"
#include "service/telemetry/log.hpp"

namespace headrace::pipeline {

namespace {

telemetry::LogThrottle failures_log{2};

proto::Error to_proto(const gpu::Error& error) {
  if (error.kind == gpu::ErrorKind::device_lost) {
    return {proto::ErrorCode::device_failed, "the device was lost while the batch was in flight"};
  }
  return {proto::ErrorCode::device_failed, "the device could not run the batch"};
}

}  // namespace

Flight::Flight(Slots& slots, SlotRef slot, telemetry::Metrics& metrics)
    : slots_(slots),
      slot_(slot),
      metrics_(metrics),
      device_metrics_(metrics.device(slots.ring(slot.ring).device().info().label)) {}

void Flight::start(std::shared_ptr<ServedModel> model, std::uint64_t number) noexcept {
  assert(!requests_.empty());
  model_ = std::move(model);
  segments_.clear();
  std::uint32_t rows = 0;
  for (const auto& request : requests_) {
    segments_.push_back({.inputs = {request->inputs.data(), request->input_count},
                         .outputs = {request->outputs.data(), request->output_count},
                         .rows = request->rows});
    rows += request->rows;
  }
  batch_ = {.flight = number, .executable = model_->executables[slot_.ring].get(), .segments = segments_, .rows = rows};
  // Counted before the device can answer: an answered request is never ahead of its batch.
  model_->metrics.record_batch(rows);
  slots_.ring(slot_.ring).submit(slot_.slot, batch_, *this);
}

void Flight::stamp(Request& request, const gpu::FlightResult& result, telemetry::Clock::time_point now) const noexcept {
  using telemetry::Stage;
  request.timeline.add(Stage::pack, result.times.pack, now);
  request.timeline.add(Stage::h2d, result.times.h2d, now);
  request.timeline.add(Stage::kernel, result.times.kernel, now);
  request.timeline.add(Stage::d2h, result.times.d2h, now);
}

void Flight::on_flight_done(const gpu::FlightResult& result) noexcept {
  const auto now = telemetry::Clock::now();
  if (result.error) {
    failures_log.log(telemetry::LogLevel::error, "flight failed",
                     {{"model", model_->description.name},
                      {"requests", std::to_string(requests_.size())},
                      {"reason", result.error->message}});
  }
  // Counted before any request is answered: a client that has its answer finds its flight counted.
  device_metrics_.record_flight(
      {.copy_engines = result.transfer == gpu::Transfer::copy_engines, .ok = !result.error.has_value()});
  if (result.host_copied_bytes != 0) metrics_.add_host_copied("gather", result.host_copied_bytes);
  const bool lost = result.error && result.error->kind == gpu::ErrorKind::device_lost;
  for (auto& request : requests_) {
    stamp(*request, result, now);
    if (result.error) request->error = to_proto(*result.error);
    if (lost) request->abandon();
    Mailbox* const home = request->home;
    home->post(std::move(request));
  }
  requests_.clear();
  model_.reset();
  slots_.give_back(slot_);
}

}  // namespace headrace::pipeline
