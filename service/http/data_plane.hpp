#pragma once
// The data plane: the Open Inference Protocol on port 8000. Inference goes through the front door; this answers the
// rest.

#include <atomic>
#include <string>

#include "service/http/plane.hpp"
#include "service/pipeline/front_door.hpp"

namespace headrace::http {

/// The life of the service as its health answers tell it. Any thread.
struct Lifecycle {
  std::atomic<bool> ready{false};      // models are warm and nothing ended it since
  std::atomic<bool> closing{false};    // answers say "Connection: close"
};

class DataPlane final : public Plane {
 public:
  /// Both must outlive the plane. `version`: of this program.
  DataPlane(pipeline::FrontDoor& door, const Lifecycle& lifecycle, std::string version);

  RouteMatch match(Method method, std::string_view target) const override { return match_data_route(method, target); }
  Reply answer(const RouteMatch& match, std::string_view body) override;
  pipeline::FrontDoor* front_door() noexcept override { return &door_; }
  bool closing() const noexcept override { return lifecycle_.closing.load(std::memory_order_relaxed); }
  void record(int http_status) noexcept override { door_.metrics().record_unrouted(http_status); }
  void count_copied(std::uint64_t bytes) noexcept override { door_.metrics().add_host_copied("body_prefix", bytes); }

 private:
  Reply model_answer(const RouteMatch& match, const pipeline::ServedModel& model) const;
  Reply all_statistics() const;
  Reply repository_index(std::string_view body) const;

  pipeline::FrontDoor& door_;
  const Lifecycle& lifecycle_;
  const std::string version_;
};

/// live and ready are the same on both ports.
Reply live_reply();
Reply ready_reply(const Lifecycle& lifecycle, const pipeline::FrontDoor& door);

}  // namespace headrace::http
