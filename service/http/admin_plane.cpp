#include "service/http/admin_plane.hpp"

#include "service/http/openapi.hpp"

namespace headrace::http {

AdminPlane::AdminPlane(const telemetry::Metrics& metrics, const pipeline::FrontDoor& door, const Lifecycle& lifecycle)
    : metrics_(metrics), door_(door), lifecycle_(lifecycle) {}

Reply AdminPlane::answer(const RouteMatch& match, std::string_view) {
  switch (match.route) {
    case Route::live: return live_reply();
    case Route::ready: return ready_reply(lifecycle_, door_);
    case Route::openapi: {
      Reply reply;
      reply.body = openapi_json;
      return reply;
    }
    case Route::metrics: {
      Reply reply;
      reply.content_type = metrics_type;
      reply.body = metrics_.render();
      return reply;
    }
    default: return error_reply({proto::ErrorCode::not_found, "Not Found"});
  }
}

}  // namespace headrace::http
