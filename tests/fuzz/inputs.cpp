// Helpers of all targets: checking a condition, output, files in memory, splitting an input.
#include <sys/mman.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "targets.h"

namespace fuzzing {

void require(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "does not hold: %s\n", what);
  std::abort();
}

void show(const char* what) {
  static const bool wanted = std::getenv("SHOW");
  if (wanted) std::fprintf(stderr, "%s\n", what);
}

FileOf::FileOf(std::string_view bytes) : fd_(::memfd_create("fuzz", MFD_CLOEXEC)) {
  const ssize_t written = ::write(fd_, bytes.data(), bytes.size());
  require(fd_ >= 0 && written == static_cast<ssize_t>(bytes.size()), "a file in memory can be made");
  path_ = "/proc/self/fd/" + std::to_string(fd_);
}

FileOf::~FileOf() { ::close(fd_); }

std::vector<std::string_view> parts(std::string_view bytes, size_t n) {
  std::vector<std::string_view> found;
  while (found.size() + 1 < n) {
    const size_t end = std::min(bytes.find('\0'), bytes.size());
    found.push_back(bytes.substr(0, end));
    bytes.remove_prefix(std::min(end + 1, bytes.size()));
  }
  found.push_back(bytes);
  return found;
}

}  // namespace fuzzing
