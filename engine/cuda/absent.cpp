// The build without CUDA: reports no GPU, and why.
#include "../core/gpu.h"
#include "kernels.h"

#include <stdexcept>

namespace glassgrad::gpu {

int device_count() { return 0; }
std::string why_no_device() { return "this glassgrad is built without CUDA"; }
std::string device_name(int) { return ""; }
int64_t device_memory(int) { return 0; }
std::string version() { return ""; }

namespace {
[[noreturn]] void no_gpu() { throw std::logic_error("memory of a GPU in a build without CUDA"); }
}  // namespace

void use(int) {}
void* take(size_t, int) { no_gpu(); }
void give(void*, size_t, int) noexcept {}
void give_back_kept(int) noexcept {}
MemoryUse memory_use(int) { return {}; }
void begin_capture(int) { no_gpu(); }
void* end_capture() { no_gpu(); }
bool is_capturing() noexcept { return false; }
void abandon_capture() noexcept {}
void launch_graph(void*) { no_gpu(); }
void drop_graph(void*) noexcept {}

void forget_most_used(int) {}
void copy(void*, Device, const void*, Device, size_t) { no_gpu(); }
void synchronize(int) {}

}  // namespace glassgrad::gpu

namespace glassgrad::cuda {

std::vector<std::string> blas_plans() { return {}; }

const Loops& loops() {
  static const Loops none;
  return none;
}

}  // namespace glassgrad::cuda
