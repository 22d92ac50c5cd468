#include "load/turns.hpp"

namespace headrace::load {

Turns::Turns(const RunPlan& plan, Schedule::Share share, std::uint64_t quota, const std::atomic<bool>& stop)
    : plan_(plan), quota_(quota), stop_(stop) {
  if (plan.arrivals.open_loop()) schedule_.emplace(plan.start, plan.arrivals, share);
}

std::optional<Turn> Turns::take(TimePoint now) {
  if (stopped()) return std::nullopt;
  const TimePoint planned = schedule_ ? schedule_->next() : now;
  if (planned >= plan_.end) return std::nullopt;
  const Turn turn{planned, planned >= plan_.measured_from};
  if (turn.measured) {
    if (quota_ == 0) return std::nullopt;
    if (quota_ != RunPlan::no_quota) --quota_;
  }
  if (schedule_) schedule_->advance();
  return turn;
}

}  // namespace headrace::load
