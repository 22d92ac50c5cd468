#pragma once
// A model as the pipeline serves it: what the protocol tells about it, its executables by ring, its limits and its
// queue.

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <vector>

#include "gpu/device.hpp"
#include "proto/documents.hpp"
#include "service/pipeline/backlog.hpp"
#include "service/pipeline/batch_policy.hpp"
#include "service/pipeline/channel.hpp"
#include "service/pipeline/work_estimate.hpp"
#include "service/telemetry/metrics.hpp"

namespace headrace::pipeline {

class Request;

using QueuedRequest = BacklogItem<std::shared_ptr<Request>>;
using RequestBacklog = Backlog<std::shared_ptr<Request>>;
using RequestChannel = Channel<QueuedRequest, RequestBacklog>;

struct ServedModel {
  ServedModel(proto::ModelDescription what, BatchLimits batch, const BacklogOptions& backlog,
              telemetry::ModelMetrics& series)
      : description(std::move(what)),
        limits(batch),
        policy(batch, std::chrono::microseconds(description.max_queue_delay_us)),
        queue_capacity(backlog.requests_max),
        metrics(series),
        queue(backlog) {}

  const proto::ModelDescription description;
  const BatchLimits limits;
  const BatchPolicy policy;
  const std::size_t queue_capacity;  // requests
  telemetry::ModelMetrics& metrics;
  /// One per ring, in the rings' order; fixed before serving. Null where the device was lost before it could load it:
  /// that ring is out of use.
  std::vector<std::unique_ptr<gpu::Executable>> executables;
  std::deque<WorkEstimate> work;  // likewise; the batcher makes them

  alignas(64) RequestChannel queue;  // from here on threads write

  /// True while the batcher holds a small batch back on purpose, set before it looks at the queue; who changes the
  /// queue and then sees it lets the batcher look again by end_hold(). Any thread.
  std::atomic<bool> holding{false};
  std::function<void()> end_hold;
};

}  // namespace headrace::pipeline
