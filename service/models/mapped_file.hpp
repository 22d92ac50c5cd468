#pragma once
// A regular file as read-only memory. It is mapped, so a large file costs no read and no copy, and pages come as they
// are touched. Whoever replaces the file must rename a new one over it: cutting it in place takes the pages away.

#include <cstddef>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <tl/expected.hpp>

namespace headrace::models {

class MappedFile {
 public:
  /// Never blocks on a pipe or device: anything but a regular file is refused. Error: "expected …, got …", without the
  /// path.
  static tl::expected<std::shared_ptr<const MappedFile>, std::string> open(const std::filesystem::path& path);

  ~MappedFile();
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  /// Begins on a page. Valid as long as this object.
  std::span<const std::byte> bytes() const noexcept { return bytes_; }

 private:
  MappedFile() = default;

  std::span<const std::byte> bytes_;
};

}  // namespace headrace::models
