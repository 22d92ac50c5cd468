#include "gpu/cuda/trace.hpp"

#include <nvtx3/nvToolsExt.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

namespace headrace::gpu::cuda::trace {
namespace {

nvtxDomainHandle_t domain() noexcept {
  static const nvtxDomainHandle_t handle = nvtxDomainCreateA("headrace");
  return handle;
}

constexpr std::size_t model_bytes_max = 255;  // as long as a file name may be

/// The beginning of `text`, at most `bytes_max` of it, and no UTF-8 character cut in two.
std::string_view beginning_of(std::string_view text, std::size_t bytes_max) noexcept {
  if (text.size() <= bytes_max) return text;
  const auto continues = [&](std::size_t at) { return (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80; };
  std::size_t end = bytes_max;
  while (bytes_max - end < 3 && continues(end)) --end;
  return text.substr(0, end);
}

/// Text cut to what fits.
class Label {
 public:
  void append(std::string_view text) noexcept {
    const std::size_t fits = std::min(text.size(), text_.size() - 1 - size_);
    std::copy_n(text.data(), fits, text_.data() + size_);
    size_ += fits;
  }
  const char* c_str() const noexcept { return text_.data(); }

 private:
  std::array<char, 320> text_{};  // zeros; the longest model, and the rest of a label
  std::size_t size_ = 0;
};

}  // namespace

bool is_on() noexcept {
  static const bool on = domain() != nullptr;
  return on;
}

void Scope::push(std::string_view stage, std::string_view model, std::uint32_t slot) noexcept {
  std::array<char, 10> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), slot).ptr;
  Label label;
  label.append(stage);
  label.append(" · ");
  label.append(beginning_of(model, model_bytes_max));
  label.append(" · slot ");
  label.append({digits.data(), static_cast<std::size_t>(end - digits.data())});
  nvtxEventAttributes_t event{};
  event.version = NVTX_VERSION;
  event.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  event.messageType = NVTX_MESSAGE_TYPE_ASCII;
  event.message.ascii = label.c_str();
  nvtxDomainRangePushEx(domain(), &event);
}

void Scope::pop() noexcept { nvtxDomainRangePop(domain()); }

}  // namespace headrace::gpu::cuda::trace
