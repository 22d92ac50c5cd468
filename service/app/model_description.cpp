#include "service/app/model_description.hpp"

#include <cassert>

namespace headrace::app {

namespace {

proto::TensorDescription describe_port(const gpu::Port& port) {
  // Both sides name datatypes by the protocol's names; the device side has no BYTES.
  const auto datatype = proto::parse_datatype(gpu::element_name(port.type.element));
  assert(datatype);
  return {.name = port.name, .datatype = *datatype, .row_shape = port.type.row_shape};
}

}  // namespace

proto::ModelDescription describe(const models::Model& model, std::uint32_t rows_max, const gpu::Device& device,
                                 std::size_t devices, std::uint32_t slots) {
  proto::ModelDescription description;
  description.name = model.name;
  description.version = model.version;
  for (const auto& port : model.program->inputs()) description.inputs.push_back(describe_port(port));
  for (const auto& port : model.program->outputs()) description.outputs.push_back(describe_port(port));
  description.max_batch_size = rows_max;
  description.max_queue_delay_us = model.batching.max_queue_delay_us;
  description.max_queue_size = model.batching.max_queue_size;
  description.timeout_us = model.batching.timeout_us;
  description.on_gpu = device.info().kind == gpu::DeviceKind::cuda;
  description.slots = slots;
  for (std::size_t i = 0; description.on_gpu && i < devices; ++i) description.gpus.push_back(static_cast<int>(i));
  return description;
}

}  // namespace headrace::app
