#include "runtime.h"

#include <cstdlib>

#include "../core/error.h"

namespace glassgrad::cuda {
namespace {

std::string size_text(size_t bytes) {
  const double mib = double(bytes) / (1 << 20);
  return mib < 1024 ? fmt::format("{:.2f} MiB", mib) : fmt::format("{:.2f} GiB", mib / 1024);
}

}  // namespace

bool is_synchronous() {
  static const char* const set = std::getenv("GLASSGRAD_SYNC");
  return set && *set && *set != '0';
}

void throw_cuda_error(const char* call, const char* name, const char* message) {
  fail("CUDA error: {} ({}, from {}){}", message, name, call,
       is_synchronous()
           ? ""
           : "\nKernels run later than they are called: GLASSGRAD_SYNC=1 names the one that failed.");
}

void throw_out_of_memory(size_t asked, size_t free, size_t total, size_t used, int index) {
  fail(
      "CUDA out of memory. Tried to allocate {}. GPU {} has a total capacity of {} of which {} is free; {} is "
      "used by this program's tensors. Lower the batch size, the context or the width of the model.",
      size_text(asked), index, size_text(total), size_text(free), size_text(used));
}

}  // namespace glassgrad::cuda
