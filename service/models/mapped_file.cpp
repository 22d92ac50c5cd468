#include "service/models/mapped_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string_view>
#include <system_error>

namespace headrace::models {
namespace {

tl::unexpected<std::string> not_readable(int error) {
  return tl::unexpected("expected a readable file, got: " + std::generic_category().message(error));
}

std::string_view kind_of(mode_t mode) noexcept {
  if (S_ISDIR(mode)) return "a directory";
  if (S_ISFIFO(mode)) return "a pipe";
  if (S_ISSOCK(mode)) return "a socket";
  return "a device";
}

struct Descriptor {
  int number;
  explicit Descriptor(int fd) noexcept : number(fd) {}
  ~Descriptor() {
    if (number >= 0) ::close(number);
  }
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
};

}  // namespace

tl::expected<std::shared_ptr<const MappedFile>, std::string> MappedFile::open(const std::filesystem::path& path) {
  // Without O_NONBLOCK, opening a pipe waits for its writer.
  const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number < 0) return not_readable(errno);
  struct stat status{};
  if (::fstat(file.number, &status) != 0) return not_readable(errno);
  if (!S_ISREG(status.st_mode)) {
    return tl::unexpected("expected a regular file, got " + std::string(kind_of(status.st_mode)));
  }
  std::unique_ptr<MappedFile> mapped(new MappedFile());
  if (status.st_size > 0) {
    const auto size = static_cast<std::size_t>(status.st_size);
    void* const start = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.number, 0);
    if (start == MAP_FAILED) return not_readable(errno);
    mapped->bytes_ = {static_cast<const std::byte*>(start), size};
  }
  return mapped;
}

MappedFile::~MappedFile() {
  if (!bytes_.empty()) ::munmap(const_cast<std::byte*>(bytes_.data()), bytes_.size());
}

}  // namespace headrace::models
