#include "tests/support/puppet_device.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "gpu/cpu/host_memory.hpp"
#include "gpu/slot_capacity.hpp"
#include "tests/support/flight_log.hpp"

namespace headrace::support {
namespace {

std::string_view verb_name(Verb verb) noexcept {
  switch (verb) {
    case Verb::allocate_host: return "allocate_host";
    case Verb::compile: return "compile";
    case Verb::open_slot: return "open_slot";
  }
  return "";
}

constexpr std::size_t told_max = 4096;

std::optional<gpu::Error> error_of(Ending ending) {
  switch (ending) {
    case Ending::ok: return std::nullopt;
    case Ending::launch_failed: return gpu::Error{gpu::ErrorKind::launch_failed, "puppet: the launch failed"};
    case Ending::device_lost: return gpu::Error{gpu::ErrorKind::device_lost, "puppet: the device was lost"};
  }
  return std::nullopt;
}

/// In every build type: a caller that breaks the seam's contract has no result worth looking at.
void require(bool holds, const char* what) noexcept {
  if (holds) return;
  std::fprintf(stderr, "puppet: the contract was broken: %s\n", what);
  std::abort();
}

}  // namespace

class PuppetDevice::Executable final : public gpu::Executable {
 public:
  using gpu::Executable::Executable;
  std::size_t device_bytes() const noexcept override { return program().weight_bytes(); }
};

class PuppetDevice::Slot final : public gpu::Slot {
 public:
  Slot(PuppetDevice& device, gpu::HostBlock memory, std::size_t slot_bytes, std::uint32_t segments_max)
      : device_(device), memory_(std::move(memory)), slot_bytes_(slot_bytes), segments_max_(segments_max) {}
  ~Slot() override { device_.forget(*this); }

  void submit(const gpu::Batch& batch, gpu::FlightObserver& observer) noexcept override {
    require(batch.segments.size() <= segments_max_, "a batch has at most segments_max segments");
    require(batch.rows <= batch.executable->rows_max(), "a batch has at most rows_max rows");
    std::uint64_t rows = 0;
    for (const gpu::Segment& segment : batch.segments) rows += segment.rows;
    require(rows == batch.rows, "a batch's rows are the sum of its segments' rows");
    device_.start({batch, &observer, this});
  }

  gpu::cpu::RunReport run(const gpu::Batch& batch) noexcept {
    const gpu::cpu::Scratch scratch{memory_.data(), memory_.data() + memory_.bytes() / 2, slot_bytes_};
    return gpu::cpu::run_batch(batch.executable->program(), batch.segments, scratch);
  }

 private:
  PuppetDevice& device_;
  gpu::HostBlock memory_;
  std::size_t slot_bytes_;
  std::uint32_t segments_max_;
};

PuppetDevice::PuppetDevice(PuppetOptions options)
    : info_{.kind = gpu::DeviceKind::puppet,
            .ordinal = 0,
            .label = std::move(options.label),
            .name = "puppet",
            .memory_bytes_total = 0,
            .has_copy_stages = options.has_copy_stages},
      auto_complete_(options.auto_complete),
      pilot_([this] { run_automatically(); }) {}

PuppetDevice::~PuppetDevice() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  pilot_.join();
}

gpu::Result<gpu::HostBlock> PuppetDevice::allocate_host(std::size_t bytes) {
  if (auto refused = refusal(Verb::allocate_host)) return tl::unexpected(std::move(*refused));
  return gpu::cpu::allocate_pages(bytes);
}

gpu::Result<std::unique_ptr<gpu::Executable>> PuppetDevice::compile(std::shared_ptr<const gpu::Program> program,
                                                                    std::uint32_t rows_max, std::size_t slot_bytes) {
  if (auto refused = refusal(Verb::compile)) return tl::unexpected(std::move(*refused));
  const auto rows = gpu::slot_rows_max(*program, rows_max, slot_bytes);
  if (!rows) return tl::unexpected(rows.error());
  return std::make_unique<Executable>(std::move(program), *rows);
}

gpu::Result<std::unique_ptr<gpu::Slot>> PuppetDevice::open_slot(std::size_t slot_bytes, std::uint32_t segments_max) {
  if (auto refused = refusal(Verb::open_slot)) return tl::unexpected(std::move(*refused));
  const std::size_t buffer_bytes =
      (slot_bytes + gpu::host_alignment_bytes - 1) / gpu::host_alignment_bytes * gpu::host_alignment_bytes;
  auto memory = gpu::cpu::allocate_pages(2 * buffer_bytes);
  if (!memory) return tl::unexpected(std::move(memory.error()));
  return std::make_unique<Slot>(*this, std::move(*memory), slot_bytes, segments_max);
}

bool PuppetDevice::lost() const noexcept {
  const std::lock_guard lock(mutex_);
  come_closer(Moment::looked_at);
  return lost_;
}

void PuppetDevice::lose() {
  const std::lock_guard lock(mutex_);
  lost_ = true;
  changed_.notify_all();
}

void PuppetDevice::lose_when(Moment moment, std::size_t count) {
  const std::lock_guard lock(mutex_);
  to_loss_[moment] = count;
}

void PuppetDevice::come_closer(Moment moment) const noexcept {
  const auto left = to_loss_.find(moment);
  if (left == to_loss_.end() || --left->second > 0) return;
  to_loss_.erase(left);
  lost_ = true;
}

gpu::DeviceActivity PuppetDevice::activity() const noexcept {
  const std::lock_guard lock(mutex_);
  return activity_;
}

std::optional<gpu::DeviceSensors> PuppetDevice::sensors() {
  const std::lock_guard lock(mutex_);
  ++sensors_asked_;
  return sensors_;
}

std::vector<PuppetDevice::Flight> PuppetDevice::in_air() const {
  const std::lock_guard lock(mutex_);
  std::vector<Flight> flights;
  for (const InAir& flight : air_) {
    flights.push_back({flight.batch.flight, flight.batch.rows, flight.batch.segments.size(), flight.batch.attended});
  }
  return flights;
}

std::size_t PuppetDevice::submitted() const {
  const std::lock_guard lock(mutex_);
  return submitted_;
}

bool PuppetDevice::wait_in_air(std::size_t flights) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, wait_limit, [&] { return lost_ || air_.size() >= flights; });
  return air_.size() >= flights;
}

bool PuppetDevice::wait_submitted(std::size_t flights) {
  std::unique_lock lock(mutex_);
  return changed_.wait_for(lock, wait_limit, [&] { return submitted_ >= flights; });
}

bool PuppetDevice::complete(std::uint64_t flight, Ending ending) {
  return complete_if([flight](const InAir& candidate) { return candidate.batch.flight == flight; }, ending);
}

bool PuppetDevice::complete_first(Ending ending) {
  return complete_if([](const InAir&) { return true; }, ending);
}

std::size_t PuppetDevice::complete_all(Ending ending) {
  std::size_t flights = 0;
  while (complete_first(ending)) ++flights;
  return flights;
}

bool PuppetDevice::complete_nth(std::size_t index, Ending ending) {
  return complete_if([&index](const InAir&) { return index-- == 0; }, ending);
}

bool PuppetDevice::repeat_notice(std::uint64_t flight) {
  std::optional<Told> told;
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = told_.find(flight); found != told_.end()) told = found->second;
  }
  if (told) told->observer->on_flight_done(told->result);
  return told.has_value();
}

void PuppetDevice::set_auto_complete(bool on) {
  const std::lock_guard lock(mutex_);
  auto_complete_ = on;
  changed_.notify_all();
}

void PuppetDevice::set_stage_times(std::optional<gpu::StageTimes> times) {
  const std::lock_guard lock(mutex_);
  times_ = times;
}

void PuppetDevice::set_transfer(gpu::Transfer transfer) {
  const std::lock_guard lock(mutex_);
  transfer_ = transfer;
}

void PuppetDevice::set_activity(const gpu::DeviceActivity& activity) {
  const std::lock_guard lock(mutex_);
  activity_ = activity;
}

void PuppetDevice::set_sensors(const std::optional<gpu::DeviceSensors>& sensors) {
  const std::lock_guard lock(mutex_);
  sensors_ = sensors;
}

std::size_t PuppetDevice::sensors_asked() const {
  const std::lock_guard lock(mutex_);
  return sensors_asked_;
}

void PuppetDevice::land_on_look(bool on) {
  const std::lock_guard lock(mutex_);
  land_on_look_ = on;
}

std::size_t PuppetDevice::looks() const {
  const std::lock_guard lock(mutex_);
  return looks_;
}

bool PuppetDevice::look() noexcept {
  const auto is_attended = [](const InAir& flight) { return flight.batch.attended; };
  bool land = false;
  {
    const std::lock_guard lock(mutex_);
    ++looks_;
    land = land_on_look_;
  }
  while (land && complete_if(is_attended, Ending::ok)) continue;
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(air_, is_attended);
}

void PuppetDevice::leave() noexcept {
  const std::lock_guard lock(mutex_);
  for (InAir& flight : air_) flight.batch.attended = false;
}

void PuppetDevice::refuse(Verb verb, std::size_t successes) {
  const std::lock_guard lock(mutex_);
  refusing_[verb] = successes;
}

void PuppetDevice::accept(Verb verb) {
  const std::lock_guard lock(mutex_);
  refusing_.erase(verb);
}

void PuppetDevice::start(const InAir& flight) noexcept {
  bool refused = false;
  {
    const std::lock_guard lock(mutex_);
    ++submitted_;
    come_closer(Moment::submitted_to);
    refused = lost_;
    const auto on_that_slot = [&](const InAir& other) { return other.slot == flight.slot; };
    require(std::ranges::none_of(air_, on_that_slot), "a slot has one flight at a time");
    if (!refused) air_.push_back(flight);
    changed_.notify_all();
  }
  if (refused) end(flight, Ending::device_lost);
}

void PuppetDevice::forget(const Slot& slot) noexcept {
  const std::lock_guard lock(mutex_);
  const auto on_that_slot = [&](const InAir& flight) { return flight.slot == &slot; };
  require(lost_ || std::ranges::none_of(air_, on_that_slot), "a slot is closed after its flight, or a lost device");
  std::erase_if(air_, on_that_slot);
}

bool PuppetDevice::complete_if(const std::function<bool(const InAir&)>& chosen, Ending ending) {
  std::optional<InAir> flight;
  {
    const std::lock_guard lock(mutex_);
    const auto found = std::ranges::find_if(air_, chosen);
    if (found == air_.end()) return false;
    flight = *found;
    air_.erase(found);
    if (ending == Ending::device_lost) lost_ = true;
  }
  end(*flight, ending);
  return true;
}

void PuppetDevice::end(const InAir& flight, Ending ending) {
  gpu::FlightResult result;
  result.flight = flight.batch.flight;
  result.error = error_of(ending);
  if (ending == Ending::ok) {
    const gpu::cpu::RunReport report = flight.slot->run(flight.batch);
    result.times = {.pack = report.pack, .h2d = {}, .kernel = report.kernel, .d2h = {}};
    result.host_copied_bytes = report.copied_bytes;
  }
  {
    const std::lock_guard lock(mutex_);
    if (times_) result.times = *times_;
    result.transfer = transfer_;
    told_.insert_or_assign(result.flight, Told{flight.observer, result});
    if (told_.size() > told_max) told_.erase(told_.begin());
  }
  flight.observer->on_flight_done(result);
}

std::optional<gpu::Error> PuppetDevice::refusal(Verb verb) {
  const std::lock_guard lock(mutex_);
  const auto found = refusing_.find(verb);
  if (found == refusing_.end()) return std::nullopt;
  if (found->second > 0) {
    --found->second;
    return std::nullopt;
  }
  return gpu::Error{gpu::ErrorKind::out_of_memory,
                    "puppet: " + std::string(verb_name(verb)) + ": asked for 2 bytes, free 1, limit 1"};
}

void PuppetDevice::run_automatically() {
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [this] { return stopping_ || (auto_complete_ && !air_.empty()); });
    if (stopping_) return;
    const InAir flight = air_.front();
    air_.erase(air_.begin());
    lock.unlock();
    end(flight, Ending::ok);
    lock.lock();
  }
}

}  // namespace headrace::support
