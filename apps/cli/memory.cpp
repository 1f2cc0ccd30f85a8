#include "apps/cli/memory.h"

#include <malloc.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string>
#include <string_view>

#include "engine/core/storage.h"

namespace glassgrad {
namespace {

double number_in(const std::string& path, double otherwise) {
  std::ifstream file(path);
  double number = otherwise;
  return file >> number ? number : otherwise;  // "max" is no number
}

// Returns the number in the line "NAME: 123 kB" or "NAME 123" of a file in /proc or of a cgroup.
double number_of(std::string_view name, const std::string& path, double otherwise) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);)
    if (line.starts_with(name)) return std::strtod(line.c_str() + name.size(), nullptr);
  return otherwise;
}

// Returns how many bytes the process's cgroup and those around it leave to it. Cached files count as free,
// because the system drops them first.
double left_by_cgroups(double otherwise) {
  std::ifstream file("/proc/self/cgroup");
  std::string path;
  for (std::string line; std::getline(file, line);)
    if (line.starts_with("0::")) path = line.substr(3);
  for (double least = otherwise;; path.resize(path.rfind('/'))) {
    const std::string group = "/sys/fs/cgroup" + path + "/memory.";
    const double most = number_in(group + "max", std::numeric_limits<double>::infinity());
    const double used = number_in(group + "current", 0) - number_of("inactive_file ", group + "stat", 0);
    least = std::min(least, most - used);
    if (path.empty() || path == "/") return least;
  }
}

// Returns how many bytes a limit of the process leaves: the limit, minus the line `taken` of
// /proc/self/status, plus free memory of the heap.
double left_by_limit(decltype(RLIMIT_AS) which, std::string_view taken, double otherwise) {
  rlimit limit{};
  if (::getrlimit(which, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) return otherwise;
  return std::min(otherwise, double(limit.rlim_cur) - 1024 * number_of(taken, "/proc/self/status", 0) +
                                 double(::mallinfo2().fordblks));
}

}  // namespace

double available_memory() {
  give_back_kept_memory();
  ::malloc_trim(0);
  const double all = double(::sysconf(_SC_PHYS_PAGES)) * double(::sysconf(_SC_PAGESIZE));
  double least = 1024 * number_of("MemAvailable:", "/proc/meminfo", all / 1024);
  least = left_by_cgroups(least);
  least = left_by_limit(RLIMIT_AS, "VmSize:", least);
  return std::max(0.0, left_by_limit(RLIMIT_DATA, "VmData:", least));
}

void keep_to_available_memory() {
  constexpr double kAtLeast = 1 << 26;
  keep_to_memory(static_cast<size_t>(std::max(kAtLeast, available_memory())));
}

void keep_to_memory(size_t bytes) {
  const double taken = 1024 * number_of("VmData:", "/proc/self/status", 0);
  rlimit limit{};
  if (taken == 0 || ::getrlimit(RLIMIT_DATA, &limit) != 0) return;
  const double most = taken + double(bytes);
  if (most >= double(limit.rlim_cur)) return;
  limit.rlim_cur = static_cast<rlim_t>(most);
  ::setrlimit(RLIMIT_DATA, &limit);
}

size_t stack_for_programs() { return 6 << 20; }  // of the 8 MiB that a thread has

}  // namespace glassgrad
