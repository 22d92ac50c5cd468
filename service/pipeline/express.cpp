#include "service/pipeline/express.hpp"

#include "service/pipeline/mailbox.hpp"
#include "service/pipeline/request.hpp"
#include "service/pipeline/served_model.hpp"

namespace headrace::pipeline {

namespace {

using std::chrono::microseconds;
using telemetry::Stage;

// To be woken costs a thread 14 µs on the machine measured. What takes longer than a few of these is left to the
// device.
constexpr microseconds attended_work_max{50};
constexpr microseconds patience{100};

}  // namespace

bool Express::try_fly(const std::shared_ptr<Request>& request, bool is_alone, telemetry::Clock::time_point now) {
  const auto& model = request->model;
  const bool is_large = request->body_bytes >= large_bytes_ && model->queue.size() == 0;
  if (!is_alone && !is_large) return false;
  if (model->description.max_queue_delay_us != 0) return false;  // it is to wait for others
  const auto slot = slots_.free().try_pop();
  if (!slot) return false;
  if (!slots_.usable(*slot)) {  // lost since the slot was free; it is not anybody's any more
    slots_.look_for_losses();
    return false;
  }
  slots_.ring(slot->ring).acquire(slot->slot);
  if (!request->state.try_take()) {
    slots_.give_back(*slot);
    return false;
  }
  request->timeline.end(Stage::queue, now);
  request->timeline.end(Stage::slot, now);
  Mailbox& home = *request->home;
  Flight& flight = *flights_[slot->ring][slot->slot];
  flight.requests().push_back(request);
  const bool attended = is_alone && model->work[slot->ring].expect(request->rows) <= attended_work_max;
  flight.start(model, flight_numbers_.fetch_add(1, std::memory_order_relaxed) + 1, attended);
  if (attended) home.attend(slots_.ring(slot->ring).device(), now + patience);
  return true;
}

}  // namespace headrace::pipeline
