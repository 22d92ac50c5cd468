#pragma once
// A model folder's definition as the protocol tells it.

#include <cstdint>

#include "gpu/device.hpp"
#include "proto/documents.hpp"
#include "service/models/model.hpp"

namespace headrace::app {

/// `rows_max`: the effective max_batch_size. `device`: one of `devices` equal ones, each with `slots`.
proto::ModelDescription describe(const models::Model& model, std::uint32_t rows_max, const gpu::Device& device,
                                 std::size_t devices, std::uint32_t slots);

}  // namespace headrace::app
