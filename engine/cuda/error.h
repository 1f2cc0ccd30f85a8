// What CUDA's functions answer, as errors. Kept out of the .cu files: they include no fmt.
#pragma once
#include <cstddef>

namespace glassgrad::cuda {

// RuntimeError `CUDA error: <what the driver says>`, with the call that told. On a GPU a kernel's fault shows
// at a later call: GLASSGRAD_SYNC=1 waits after each kernel, and names the one.
bool is_synchronous();  // GLASSGRAD_SYNC is set: every kernel is waited for
[[noreturn]] void throw_cuda_error(const char* call, const char* name, const char* message);
// `CUDA out of memory. Tried to allocate …`.
[[noreturn]] void throw_out_of_memory(size_t asked, size_t free, size_t total, size_t used, int index);

}  // namespace glassgrad::cuda
