#pragma once
// Errors of the device side. Values, not exceptions: every verb of the seam returns a Result.

#include <cstdint>
#include <string>
#include <tl/expected.hpp>

namespace headrace::gpu {

enum class ErrorKind : std::uint8_t {
  invalid_program,  // a step, parameter or weight that does not fit: the message names step, operator, expected and got
  out_of_memory,  // the message names asked, free and limit
  launch_failed,  // this flight failed; the device goes on
  device_lost,  // sticky: nothing will succeed on this device again
  unavailable,  // no such device, or no driver
};

struct Error {
  ErrorKind kind;
  std::string message;
};

template <class T>
using Result = tl::expected<T, Error>;

inline tl::unexpected<Error> fail(ErrorKind kind, std::string message) {
  return tl::unexpected<Error>(Error{kind, std::move(message)});
}

}  // namespace headrace::gpu
