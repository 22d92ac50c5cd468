#pragma once
// Limits of the codec, each with its unit. Configurable limits (body size, queue depth) live in service/app.

#include <cstddef>

namespace headrace::proto {

inline constexpr std::size_t tensor_rank_max = 16;          // dimensions of one tensor
inline constexpr std::size_t tensors_per_request_max = 64;  // inputs, and requested outputs, of one request
inline constexpr std::size_t json_depth_max = 100;          // nested brackets, everywhere
inline constexpr std::size_t repository_index_body_bytes_max = 1U << 16U;
inline constexpr std::size_t parser_kept_head_bytes_max = 1U << 20U;  // larger heads' scratch memory is given back
inline constexpr std::size_t body_alignment_bytes = 256;    // the first binary tensor starts on this boundary
inline constexpr std::size_t body_padding_bytes = 64;  // readable bytes that must follow a body (the JSON library's)

}  // namespace headrace::proto
