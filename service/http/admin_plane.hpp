#pragma once
// The admin plane: metrics and the API's description on port 8002, on a thread of its own, apart from the data plane.

#include "service/http/data_plane.hpp"
#include "service/http/plane.hpp"
#include "service/telemetry/metrics.hpp"

namespace headrace::http {

class AdminPlane final : public Plane {
 public:
  /// All must outlive the plane.
  AdminPlane(const telemetry::Metrics& metrics, const pipeline::FrontDoor& door, const Lifecycle& lifecycle);

  RouteMatch match(Method method, std::string_view target) const override { return match_admin_route(method, target); }
  Reply answer(const RouteMatch& match, std::string_view body) override;
  bool closing() const noexcept override { return false; }  // the last to leave: scrapes go on while the service drains
  void record(int) noexcept override {}
  void count_copied(std::uint64_t) noexcept override {}

 private:
  const telemetry::Metrics& metrics_;
  const pipeline::FrontDoor& door_;
  const Lifecycle& lifecycle_;
};

}  // namespace headrace::http
