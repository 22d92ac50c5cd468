#include "tests/service/pipeline/rig.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <boost/asio/bind_executor.hpp>
#include <cstring>

#include "tests/support/programs.hpp"

namespace headrace::test {

namespace {

constexpr std::size_t slot_bytes = 1u << 20;

proto::ModelDescription description_of(const RigOptions& options) {
  proto::ModelDescription description;
  description.name = "m";
  description.inputs = {{.name = "x", .datatype = proto::Datatype::fp32, .row_shape = {rig_columns}}};
  description.outputs = {{.name = "y", .datatype = proto::Datatype::fp32, .row_shape = {rig_columns}}};
  description.max_batch_size = options.rows_max;
  description.max_queue_delay_us = options.queue_delay_us;
  description.max_queue_size = options.queue_max;
  description.timeout_us = options.timeout_us;
  return description;
}

std::vector<std::unique_ptr<support::PuppetDevice>> make_devices(std::uint32_t count) {
  std::vector<std::unique_ptr<support::PuppetDevice>> devices;
  for (std::uint32_t i = 0; i < count; ++i) devices.push_back(std::make_unique<support::PuppetDevice>());
  return devices;
}

}  // namespace

Body body_of(const Ask& ask) {
  std::string parameters;
  if (ask.timeout_us != 0) parameters = fmt::format(R"("parameters":{{"timeout":{}}},)", ask.timeout_us);
  const std::size_t elements = ask.rows * rig_columns;
  if (!ask.binary) {
    std::string data;
    for (std::size_t i = 0; i < elements; ++i)
      data += fmt::format("{}{}", i == 0 ? "" : ",", ask.first + static_cast<float>(i));
    return {fmt::format(R"({{{}"inputs":[{{"name":"x","shape":[{},{}],"datatype":"FP32","data":[{}]}}]}})", parameters,
                        ask.rows, rig_columns, data),
            std::nullopt};
  }
  if (!parameters.empty()) parameters.insert(parameters.find('{') + 1, R"("binary_data_output":true,)");
  if (parameters.empty()) parameters = R"("parameters":{"binary_data_output":true},)";
  Body body;
  body.bytes = fmt::format(
      R"({{{}"inputs":[{{"name":"x","shape":[{},{}],"datatype":"FP32","parameters":{{"binary_data_size":{}}}}}]}})",
      parameters, ask.rows, rig_columns, elements * sizeof(float));
  body.json_bytes = body.bytes.size();
  for (std::size_t i = 0; i < elements; ++i) {
    const float value = ask.first + static_cast<float>(i);
    body.bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  return body;
}

bool answer_is_right(const pipeline::Request& request, const Ask& ask) {
  for (std::size_t i = 0; i < ask.rows * rig_columns; ++i) {
    float value = 0;
    std::memcpy(&value, request.outputs[0] + i * sizeof value, sizeof value);
    if (value != 2 * (ask.first + static_cast<float>(i)) + 1) return false;
  }
  return true;
}

Rig::Rig(const RigOptions& options) : devices(make_devices(options.devices)), device(*devices.front()) {
  pool = std::make_unique<gpu::HostPool>(std::move(device.allocate_host(options.memory_bytes).value()));
  std::vector<std::unique_ptr<gpu::StagingRing>> rings;
  for (const auto& each : devices) {
    rings.push_back(
        std::move(gpu::StagingRing::open(
                      *each, {.slots = options.slots, .slot_bytes = slot_bytes, .segments_max = options.segments_max})
                      .value()));
  }
  slots = std::make_unique<pipeline::Slots>(std::move(rings));
  door = std::make_unique<pipeline::FrontDoor>(
      *pool, *slots, metrics,
      pipeline::FrontDoorLimits{.request_bytes_max = options.memory_bytes, .requests_max = options.requests_max});
  model = std::make_shared<pipeline::ServedModel>(
      description_of(options),
      pipeline::BatchLimits{.rows_max = options.rows_max, .segments_max = options.segments_max},
      pipeline::BacklogOptions{.requests_max = options.queue_max, .request_rows_max = options.rows_max},
      metrics.model("m"));
  const auto program = support::affine_program(rig_columns, 2.0, 1.0);
  for (const auto& each : devices) {
    model->executables.push_back(std::move(each->compile(program, options.rows_max, slot_bytes).value()));
  }
  door->add(model);
  flights.resize(slots->rings());
  for (std::uint32_t r = 0; r < slots->rings(); ++r) {
    for (std::uint32_t s = 0; s < options.slots; ++s) {
      flights[r].push_back(std::make_unique<pipeline::Flight>(*slots, pipeline::SlotRef{r, s}, metrics));
    }
  }
  batcher = std::make_unique<pipeline::Batcher>(dispatcher.get_executor(), model, *slots, flights, flight_numbers);
  batcher->start();
  if (options.express) door->use_express(express.emplace(*slots, flights, flight_numbers, options.express_large_bytes));
}

Rig::~Rig() {
  door->close();
  const bool drained = run_until([this] {
    slots->look_for_losses();
    for (const auto& each : devices) each->complete_all();
    return batcher->drained() && door->requests_in_flight() == 0;
  });
  EXPECT_TRUE(drained) << "a request never came home";
  settle();
  EXPECT_EQ(door->bytes_held(), 0u);
  EXPECT_EQ(door->requests_in_flight(), 0u);
  EXPECT_EQ(pool->bytes_held(), pool->bytes_abandoned());
  if (checks_memory) {
    EXPECT_EQ(pool->bytes_abandoned(), 0u);
    EXPECT_EQ(slots->free().size(), slots->total());
  }
}

proto::Result<std::shared_ptr<pipeline::Request>> Rig::prepared(const Ask& ask, pipeline::Mailbox& to) {
  const Body body = body_of(ask);
  auto reserved = door->reserve(model, {.body_bytes = body.bytes.size(), .json_bytes = body.json_bytes}, to);
  if (!reserved) return reserved;
  auto& request = **reserved;
  request.timeline.begin(telemetry::Clock::now());
  std::memcpy(pipeline::FrontDoor::body_of(request).data(), body.bytes.data(), body.bytes.size());
  proto::InferRequestParser parser;
  if (auto ready = door->prepare(request, parser); !ready) return tl::unexpected(ready.error());
  return reserved;
}

std::shared_ptr<Rig::Sent> Rig::send(const Ask& ask) {
  auto sent = std::make_shared<Sent>();
  auto request = prepared(ask);
  if (!request) {
    ADD_FAILURE() << request.error().message;
    return sent;
  }
  sent->request = *request;
  const auto submitted = door->submit(sent->request);
  if (!submitted) {
    ADD_FAILURE() << submitted.error().message;
    return sent;
  }
  wait(sent);
  return sent;
}

std::shared_ptr<Rig::Sent> Rig::watch(std::shared_ptr<pipeline::Request> request) {
  auto sent = std::make_shared<Sent>();
  sent->request = std::move(request);
  wait(sent);
  return sent;
}

void Rig::wait(const std::shared_ptr<Sent>& sent) {
  // Weak: the request holds this handler while it waits.
  sent->request->async_wait(asio::bind_executor(home.get_executor(), [this, weak = std::weak_ptr(sent)](bool answered) {
    const auto told = weak.lock();
    if (!told) return;
    ++told->answers;
    told->answered = answered;
    told->order = ++answers_;
  }));
}

std::vector<std::shared_ptr<Rig::Sent>> Rig::send_many(std::size_t requests, const Ask& ask) {
  std::vector<std::shared_ptr<Sent>> all;
  for (std::size_t i = 0; i < requests; ++i) all.push_back(send(ask));
  return all;
}

bool Rig::all_home() const {
  std::size_t back = 0;
  for (std::uint32_t r = 0; r < slots->rings(); ++r) {
    back += slots->ring(r).counts()[static_cast<std::size_t>(gpu::SlotState::free)];
  }
  return back == slots->total();
}

void Rig::settle() {
  std::size_t ran = 0;
  do {
    dispatcher.restart();
    home.restart();
    while (mailbox.attending()) mailbox.look();
    ran = dispatcher.poll() + home.poll();
  } while (ran != 0);
}

bool Rig::run_until(const std::function<bool()>& done, std::chrono::seconds patience) {
  const auto limit = telemetry::Clock::now() + patience;
  while (!done()) {
    if (telemetry::Clock::now() >= limit) return false;
    settle();
    if (done()) return true;
    // Nothing is ready: the next event is a timer of the dispatcher, or comes from another thread.
    dispatcher.restart();
    dispatcher.run_one_for(std::chrono::milliseconds(5));
  }
  return true;
}

}  // namespace headrace::test
