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

/// Text cut to what fits; a name may be as long as a file name.
class Label {
 public:
  void append(std::string_view text) noexcept {
    const std::size_t fits = std::min(text.size(), text_.size() - 1 - size_);
    std::copy_n(text.data(), fits, text_.data() + size_);
    size_ += fits;
  }
  const char* c_str() const noexcept { return text_.data(); }

 private:
  std::array<char, 320> text_{};  // zeros
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
  label.append(model);
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
