#pragma once
// What HTTP sees of the pipeline: find a model, reserve a request's memory before its body is read, prepare it once the
// body is there, submit it, and put its answer together. All functions are for I/O threads; none waits.

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "gpu/host_pool.hpp"
#include "proto/error.hpp"
#include "proto/infer_request.hpp"
#include "service/pipeline/permit.hpp"
#include "service/pipeline/request.hpp"
#include "service/pipeline/reservation.hpp"
#include "service/pipeline/served_model.hpp"
#include "service/pipeline/slots.hpp"
#include "service/telemetry/metrics.hpp"

namespace headrace::pipeline {

class Express;

struct FrontDoorLimits {
  std::uint64_t request_bytes_max = 0;  // all buffers of all requests
  std::uint64_t requests_max = 0;  // requests in flight, all models
};

/// The answer's bytes: a JSON head, then blobs that live in the request's output buffer.
struct Answer {
  std::string head;
  std::array<std::span<const std::byte>, ports_max> blobs{};
  std::uint8_t blob_count = 0;
  std::uint64_t blob_bytes = 0;

  void clear() noexcept {
    head.clear();
    blob_count = 0;
    blob_bytes = 0;
  }
};

class FrontDoor {
 public:
  /// `pool` and `slots` must outlive the door and every request.
  FrontDoor(gpu::HostPool& pool, const Slots& slots, telemetry::Metrics& metrics, const FrontDoorLimits& limits);

  /// Before serving only.
  void add(std::shared_ptr<ServedModel> model);
  /// A model that could not be loaded: requests for it are answered 503 with that reason.
  void add_fault(std::string name, std::string reason);

  /// Errors: not_found for an unknown model or version, not_ready for a broken one.
  proto::Result<std::shared_ptr<ServedModel>> find(std::string_view name, std::string_view version) const;
  const std::map<std::string, std::shared_ptr<ServedModel>, std::less<>>& models() const noexcept { return models_; }
  const std::map<std::string, std::string, std::less<>>& faults() const noexcept { return faults_; }

  /// Memory and a place for a request, all at once or nothing. Errors: payload_too_large (it could never fit),
  /// queue_full, over_budget, not_ready (device lost), draining.
  /// `reuse`: the caller's last request, used again when nobody else holds it any more; may be null.
  proto::Result<std::shared_ptr<Request>> reserve(std::shared_ptr<ServedModel> model, const ReservationInput& input,
                                                  Mailbox& home, std::shared_ptr<Request> reuse = nullptr);
  /// Where the body goes: exactly its length, inside the request's buffer, followed by the codec's padding.
  static std::span<std::byte> body_of(Request& request) noexcept;

  /// Parses and decodes the body, checks it against the model, and lays out the outputs. CPU-bound and thread-safe; a
  /// large JSON body takes milliseconds and belongs on a worker.
  proto::Result<void> prepare(Request& request, proto::InferRequestParser& parser) const;
  /// Before serving only: requests that gain nothing by waiting fly by it. It outlives the door's last request.
  void use_express(Express& express) noexcept { express_ = &express; }
  /// Into the model's queue, or into the air. Errors: queue_full, draining. The request is then the pipeline's until
  /// its mailbox delivers it.
  proto::Result<void> submit(const std::shared_ptr<Request>& request);

  /// Into `answer`, whose memory is used again. Errors: not_representable.
  static proto::Result<void> answer(const Request& request, Answer& answer);

  /// No request enters any more; what is queued is served.
  void close() noexcept;
  bool closed() const noexcept { return closed_.load(std::memory_order_acquire); }
  /// Nobody can be served any more: every device is lost, or those that are took most of the request memory with them.
  bool device_lost() const noexcept { return slots_.lost() || pool_.bytes_abandoned() > pool_.bytes_total() / 2; }

  std::uint64_t bytes_held() const noexcept { return bytes_.held(); }
  std::uint64_t bytes_limit() const noexcept { return bytes_.limit(); }
  std::uint64_t requests_in_flight() const noexcept { return places_.held(); }
  telemetry::Metrics& metrics() noexcept { return metrics_; }

 private:
  proto::Result<void> decode_inputs(Request& request, const struct Binding& binding) const;

  gpu::HostPool& pool_;
  const Slots& slots_;
  telemetry::Metrics& metrics_;
  Express* express_ = nullptr;
  Budget bytes_;
  Budget places_;
  std::map<std::string, std::shared_ptr<ServedModel>, std::less<>> models_;
  std::map<std::string, std::string, std::less<>> faults_;
  std::atomic<bool> closed_{false};
};

}  // namespace headrace::pipeline
