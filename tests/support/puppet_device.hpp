#pragma once
// The third device: its flights stay in the air until the test says how each ends, in any order, late, or twice. What
// it answers is computed by the CPU device's steps. Faults are injected by the test.
//
//   PuppetDevice device;                          // flights are held
//   … submit three …  device.wait_in_air(3);
//   device.complete(2, Ending::launch_failed);    // on this thread: the observer is told before it returns
//   device.repeat_notice(2);                      // once more

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "gpu/cpu/batch_runner.hpp"
#include "gpu/device.hpp"

namespace headrace::support {

enum class Ending : std::uint8_t { ok, launch_failed, device_lost };

struct PuppetOptions {
  bool auto_complete =
      false;  // flights end well by themselves, on the puppet's own thread, in the order of their start
  bool has_copy_stages = false;
  std::string label = "puppet";
};

/// When a device is lost without a flight that says so.
enum class Moment : std::uint8_t { looked_at, submitted_to };

/// Verbs that a test can make fail.
enum class Verb : std::uint8_t { allocate_host, compile, open_slot };

/// Thread-safe. Everything that a flight needs outlives it, as with any device.
class PuppetDevice final : public gpu::Device {
 public:
  explicit PuppetDevice(PuppetOptions options = {});
  ~PuppetDevice() override;

  const gpu::DeviceInfo& info() const noexcept override { return info_; }
  gpu::Result<gpu::HostBlock> allocate_host(std::size_t bytes) override;
  gpu::Result<std::unique_ptr<gpu::Executable>> compile(std::shared_ptr<const gpu::Program> program,
                                                        std::uint32_t rows_max, std::size_t slot_bytes) override;
  gpu::Result<std::unique_ptr<gpu::Slot>> open_slot(std::size_t slot_bytes, std::uint32_t segments_max) override;
  bool lost() const noexcept override;
  gpu::DeviceActivity activity() const noexcept override;
  /// Counted by sensors_asked().
  std::optional<gpu::DeviceSensors> sensors() override;

  /// What a test sees of a flight in the air.
  struct Flight {
    std::uint64_t flight = 0;
    std::uint32_t rows = 0;
    std::size_t segments = 0;
    bool attended = false;  // and its submitter did not leave yet
  };
  /// In the order of their start.
  std::vector<Flight> in_air() const;
  /// How many were ever submitted, those that a lost device refused included.
  std::size_t submitted() const;
  /// True when at least that many are in the air, or were ever submitted; false after wait_limit, or when the device is
  /// lost and they will not come.
  [[nodiscard]] bool wait_in_air(std::size_t flights);
  [[nodiscard]] bool wait_submitted(std::size_t flights);

  /// Ends that flight on the calling thread; its observer has been told when this returns. False when it is not in the
  /// air.
  bool complete(std::uint64_t flight, Ending ending = Ending::ok);
  /// Ends the one that started first; false when none is in the air.
  bool complete_first(Ending ending = Ending::ok);
  /// Ends all that are in the air, first started first; returns how many.
  std::size_t complete_all(Ending ending = Ending::ok);
  /// Ends the `index`-th of those in the air, in the order of their start; false when there are fewer.
  bool complete_nth(std::size_t index, Ending ending = Ending::ok);
  /// The notice of a flight that has ended, once more: late or double. False when no such flight has ended, or too many
  /// have since.
  bool repeat_notice(std::uint64_t flight);

  /// Lost in silence: no flight is told. Those in the air stay there until the test ends them, if it does.
  void lose();
  /// The same, when lost() is called, or a batch submitted, for the `count`-th time from now, which is the first that
  /// sees it.
  void lose_when(Moment moment, std::size_t count);

  void set_auto_complete(bool on);
  /// Stage times of all later notices, in place of the measured ones.
  void set_stage_times(std::optional<gpu::StageTimes> times);
  /// How the rows of all later flights are said to have passed.
  void set_transfer(gpu::Transfer transfer);
  void set_activity(const gpu::DeviceActivity& activity);
  void set_sensors(const std::optional<gpu::DeviceSensors>& sensors);
  std::size_t sensors_asked() const;

  /// Attended flights end well at the first look() from now on; before, looking sees nothing.
  void land_on_look(bool on);
  std::size_t looks() const;
  bool look() noexcept override;
  void leave() noexcept override;
  /// That verb fails after `successes` more calls, until accept().
  void refuse(Verb verb, std::size_t successes = 0);
  void accept(Verb verb);

 private:
  class Executable;
  class Slot;
  struct InAir {
    gpu::Batch batch;
    gpu::FlightObserver* observer;
    Slot* slot;
  };
  struct Told {
    gpu::FlightObserver* observer;
    gpu::FlightResult result;
  };

  void come_closer(Moment moment) const noexcept;
  void start(const InAir& flight) noexcept;
  void forget(const Slot& slot) noexcept;
  bool complete_if(const std::function<bool(const InAir&)>& chosen, Ending ending);
  void end(const InAir& flight, Ending ending);
  std::optional<gpu::Error> refusal(Verb verb);
  void run_automatically();

  gpu::DeviceInfo info_;
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  // All guarded by mutex_.
  std::vector<InAir> air_;
  std::map<std::uint64_t, Told> told_;  // the latest flights
  mutable std::map<Moment, std::size_t> to_loss_;  // calls until then
  std::map<Verb, std::size_t> refusing_;  // verb → calls that still succeed
  std::optional<gpu::StageTimes> times_;
  gpu::Transfer transfer_ = gpu::Transfer::in_place;
  gpu::DeviceActivity activity_;
  std::optional<gpu::DeviceSensors> sensors_;
  std::size_t sensors_asked_ = 0;
  std::size_t submitted_ = 0;
  std::size_t looks_ = 0;
  bool land_on_look_ = false;
  mutable bool lost_ = false;
  bool auto_complete_ = false;
  bool stopping_ = false;
  std::thread pilot_;
};

}  // namespace headrace::support
