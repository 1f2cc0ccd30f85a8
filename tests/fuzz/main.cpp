// The fuzzers' door for libFuzzer: TARGET=npy glassgrad_fuzz [libFuzzer's flags] FOLDER. With SHOW=1 and a
// file in the folder's place, what becomes of that input.
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "targets.h"

namespace fuzzing {
namespace {

std::vector<Target> all_targets() {
  std::vector<Target> all;
  for (const auto& some : {file_targets(), text_targets(), program_targets()})
    all.insert(all.end(), some.begin(), some.end());
  return all;
}

// Without TARGET, or with none that there is, the names of all are printed.
Target chosen() {
  const char* name = std::getenv("TARGET");
  for (const Target& target : all_targets())
    if (name && target.name == std::string_view(name)) return target;
  for (const Target& target : all_targets()) std::puts(target.name);
  std::exit(name ? 2 : 0);
}

}  // namespace

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

static fuzzing::Target target;

extern "C" int LLVMFuzzerInitialize(int*, char***) {
  target = fuzzing::chosen();
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  target.run({reinterpret_cast<const char*>(data), size});
  return 0;
}
