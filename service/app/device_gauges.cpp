#include "service/app/device_gauges.hpp"

#include <string>

namespace headrace::app {

namespace {

std::string kind_name(gpu::DeviceKind kind) {
  switch (kind) {
    case gpu::DeviceKind::cpu: return "cpu";
    case gpu::DeviceKind::cuda: return "cuda";
    case gpu::DeviceKind::puppet: return "puppet";
  }
  return {};
}

double seconds(std::chrono::nanoseconds time) noexcept { return std::chrono::duration<double>(time).count(); }

std::optional<double> number(const std::optional<std::uint64_t>& bytes) noexcept {
  return bytes ? std::optional(static_cast<double>(*bytes)) : std::nullopt;
}

}  // namespace

const std::optional<gpu::DeviceSensors>& DeviceGauges::sensors(Clock::time_point now) {
  if (!asked_at_ || now - *asked_at_ >= reading_age_max) {
    reading_ = ring_->device().sensors();
    asked_at_ = now;
  }
  return reading_;
}

telemetry::GaugeSnapshot::Device DeviceGauges::read(Clock::time_point now) {
  const gpu::Device& device = ring_->device();
  telemetry::GaugeSnapshot::Device shown;
  shown.device = device.info().label;
  shown.kind = kind_name(device.info().kind);
  shown.name = device.info().name;
  shown.lost = device.lost();
  const gpu::DeviceActivity activity = device.activity();
  shown.h2d_busy_seconds = seconds(activity.h2d);
  shown.kernel_busy_seconds = seconds(activity.kernel);
  shown.d2h_busy_seconds = seconds(activity.d2h);
  shown.spurious_notices = ring_->spurious_notices();
  if (const auto& reading = sensors(now)) {
    shown.utilisation_ratio = reading->utilisation;
    shown.memory_used_bytes = number(reading->memory_used_bytes);
    shown.memory_total_bytes = number(reading->memory_total_bytes);
    shown.power_watts = reading->power_watts;
    shown.temperature_celsius = reading->temperature_celsius;
  }
  return shown;
}

}  // namespace headrace::app
