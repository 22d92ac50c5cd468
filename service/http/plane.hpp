#pragma once
// What a listener serves: the routes of one port. Inference is the session's business, since its body goes straight
// into device-readable memory; every other answer is a function of the route and a small body.

#include <cstdint>
#include <string_view>

#include "service/http/reply.hpp"
#include "service/http/request_head.hpp"
#include "service/http/router.hpp"

namespace headrace::pipeline {
class FrontDoor;
}

namespace headrace::http {

class Plane {
 public:
  virtual ~Plane() = default;
  virtual RouteMatch match(Method method, std::string_view target) const = 0;
  /// Any thread that runs sessions of this plane; must not block.
  virtual Reply answer(const RouteMatch& match, std::string_view body) = 0;
  /// Where inference goes; null when the plane has none.
  virtual pipeline::FrontDoor* front_door() noexcept { return nullptr; }
  /// Answers say "Connection: close" from then on.
  virtual bool closing() const noexcept = 0;
  /// A request ended that reached no model.
  virtual void record(int http_status) noexcept = 0;
  /// A piece of a body that arrived with its head was moved out of the receive buffer.
  virtual void count_copied(std::uint64_t bytes) noexcept = 0;
};

}  // namespace headrace::http
