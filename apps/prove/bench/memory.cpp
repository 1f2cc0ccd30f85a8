#include "apps/prove/bench/memory.h"

#include <fmt/core.h>
#include <malloc.h>
#include <unistd.h>

#include <fstream>

#include "engine/core/error.h"
#include "engine/core/storage.h"
#include "engine/gpus.h"

namespace glassgrad::bench {
namespace {

void forget_the_peak() {
  std::ofstream file("/proc/self/clear_refs");
  file << "5" << std::flush;
  check(bool(file), "/proc/self/clear_refs does not let the most memory in use be measured anew");
}

}  // namespace

double memory_of(pid_t process, const std::string& name) {
  std::ifstream file(fmt::format("/proc/{}/status", process));
  for (std::string key; file >> key; file.ignore(4096, '\n'))
    if (double kilobytes = 0; key == name + ":" && file >> kilobytes) return kilobytes * 1024;
  fail("/proc does not tell how much memory there is in use");
}

static double peak_bytes_on_gpu(const std::function<Work()>& make, int index) {
  make()();
  const Work work = make();
  forget_most_used(index);
  const int64_t before = gpu_memory_use(index).used;
  work();
  return double(gpu_memory_use(index).most_used - before);
}

double peak_bytes(const std::function<Work()>& make) {
  if (default_device.type == DeviceType::CUDA) return peak_bytes_on_gpu(make, default_device.index);
  make()();
  const Work work = make();
  give_back_kept_memory();
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  forget_the_peak();
  const double before = memory_of(getpid(), "VmRSS");
  work();
  return memory_of(getpid(), "VmHWM") - before;
}

}  // namespace glassgrad::bench
