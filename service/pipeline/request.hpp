#pragma once
// One inference request on its way: from the reservation of its memory until its answer was written or its client left.
//
// Owned jointly (shared_ptr) by the session that answers it, the backlog while it waits, and the flight that computes
// it. Its state word decides who may act: see request_state.hpp. Everything else is touched by one owner at a time: the
// session's thread until try_push, the batcher and its flight after try_take, the session's thread again once the
// mailbox delivered.

#include <array>
#include <boost/asio/async_result.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>

#include "gpu/host_pool.hpp"
#include "proto/error.hpp"
#include "proto/infer_request.hpp"
#include "service/pipeline/binding.hpp"
#include "service/pipeline/executor.hpp"
#include "service/pipeline/one_shot.hpp"
#include "service/pipeline/permit.hpp"
#include "service/pipeline/ports.hpp"
#include "service/pipeline/request_state.hpp"
#include "service/telemetry/timeline.hpp"

namespace headrace::pipeline {

class Mailbox;
struct ServedModel;

class Request {
 public:
  RequestState state;
  telemetry::Timeline timeline;
  std::shared_ptr<ServedModel> model;
  proto::InferRequest head;  // views into `body`
  OutputSelection selection;
  std::optional<proto::Error> error;  // why there are no outputs

  std::uint32_t rows = 0;
  std::uint8_t input_count = 0;
  std::uint8_t output_count = 0;
  std::array<const std::byte*, ports_max> inputs{};
  std::array<std::byte*, ports_max> outputs{};
  telemetry::Clock::time_point deadline{};  // zero: none

  gpu::HostBuffer body;  // as read from the socket; the first binary tensor is aligned
  gpu::HostBuffer decoded;  // tensors that came as JSON
  gpu::HostBuffer output;  // one piece, each output aligned in it
  std::size_t body_offset = 0;
  std::size_t body_bytes = 0;
  std::size_t text_bytes = 0;  // charged for JSON outputs
  std::optional<std::size_t> json_bytes;  // H, when the header came
  Permit bytes;  // what all buffers are charged
  Permit place;  // one request in flight

  /// Where the answer is delivered; set before the request is pushed.
  Mailbox* home = nullptr;

  /// Completes once, on the home thread: true when the answer is there, false when the client left before.
  /// Call on the home thread only.
  template <class Token>
  auto async_wait(Token&& token) {
    return asio::async_initiate<Token, void(bool)>(
        [this](auto handler) {
          if (delivered_ || left_) {
            complete_later(std::move(handler), delivered_);  // the end overtook the wait
          } else {
            waiter_.keep(std::move(handler));
          }
        },
        token);
  }

  /// The mailbox's delivery, on the home thread.
  void deliver() noexcept {
    delivered_ = true;
    waiter_.fire(true);
  }
  /// The client left, on the home thread. When the request was still queued its memory is given back at once and nobody
  /// else will touch it; when a flight has it, the flight keeps the buffers until its notice.
  void leave() noexcept {
    left_ = true;
    if (state.try_leave()) release();
    waiter_.fire(false);
  }
  /// Ready for another use, keeping what the head has grown to. Only for who alone holds the request.
  void reset() noexcept;
  /// Gives all memory and permits back. Only for who owns the request by its state.
  void release() noexcept;
  /// The same, but for its place among the requests in flight.
  void release_memory() noexcept;
  /// A dead device may still write to the buffers: they are set aside for good.
  void abandon() noexcept;

 private:
  friend class Mailbox;
  OneShot<bool> waiter_;
  bool delivered_ = false;
  bool left_ = false;
  std::shared_ptr<Request> self_;  // keeps the request alive inside a mailbox
  Request* next_ = nullptr;  // the mailbox's list
};

}  // namespace headrace::pipeline
