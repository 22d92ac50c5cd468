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

void Flight::lay_out() {
  inputs_.clear();
  outputs_.clear();
  for (const auto& request : requests_) {
    inputs_.insert(inputs_.end(), request->inputs.begin(), request->inputs.begin() + request->input_count);
    outputs_.insert(outputs_.end(), request->outputs.begin(), request->outputs.begin() + request->output_count);
  }
  segments_.clear();
  const std::byte* const* input = inputs_.data();
  std::byte* const* output = outputs_.data();
  batch_.rows = 0;
  for (const auto& request : requests_) {
    segments_.push_back(
        {.inputs = {input, request->input_count}, .outputs = {output, request->output_count}, .rows = request->rows});
    input += request->input_count;
    output += request->output_count;
    batch_.rows += request->rows;
  }
  batch_.segments = segments_;
}

void Flight::start(std::shared_ptr<ServedModel> model, std::uint64_t number, bool attended) noexcept {
  assert(!requests_.empty());
  model_ = std::move(model);
  lay_out();
  batch_.flight = number;
  batch_.attended = attended;
  batch_.executable = model_->executables[slot_.ring].get();
  expected_ = model_->work[slot_.ring].expect(batch_.rows);
  batch_.expected = expected_;
  slots_.add_work(slot_.ring, expected_);
  // Counted before the device can answer: an answered request is never ahead of its batch.
  model_->metrics.record_batch(batch_.rows);
  slots_.ring(slot_.ring).submit(slot_.slot, batch_, *this);
}

void Flight::learn(const gpu::FlightResult& result) const noexcept {
  slots_.remove_work(slot_.ring, expected_);
  if (result.error) return;
  const auto& times = result.times;
  model_->work[slot_.ring].learn(batch_.rows, times.h2d + times.kernel + times.d2h);
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
  learn(result);
  const bool lost = result.error && result.error->kind == gpu::ErrorKind::device_lost;
  for (auto& request : requests_) {
    stamp(*request, result, now);
    if (result.error) request->error = to_proto(*result.error);
    if (lost) request->abandon();
    Mailbox* const home = request->home;
    home->post(std::move(request));
  }
  requests_.clear();
  if (lost) {
    // While this slot is not free yet, so that nobody takes all that was given up for all that there is.
    slots_.retire(slot_.ring);
  } else {
    model_.reset();
  }
  slots_.give_back(slot_);
}

}  // namespace headrace::pipeline
