// Shared by the sources that connect the engine to CUDA: runtime.cu, memory.cu, graph.cu, error.cpp.
#pragma once
#include <cstddef>
#include <sstream>
#include <string>

namespace glassgrad::cuda {

// ---- CUDA's results as errors. In a .cpp file, because .cu files do not include fmt.
// RuntimeError `CUDA error: <what the driver says>`, with the call that reported it. A kernel's fault shows
// at a later call: GLASSGRAD_SYNC=1 waits after each kernel, and names the one that failed.
bool is_synchronous();  // GLASSGRAD_SYNC is set: wait for every kernel
[[noreturn]] void throw_cuda_error(const char* call, const char* name, const char* message);
// `CUDA out of memory. Tried to allocate …`.
[[noreturn]] void throw_out_of_memory(size_t asked, size_t free, size_t total, size_t used, int index);

// ---- memory of graphs: a captured kernel writes the same memory at every replay
// Until end_graph_memory, take() hands out blocks that belong to the graph. Blocks that the graph's tensors
// give back are reused only by its later tensors until the graph is dropped.
void begin_graph_memory(const void* graph, int index);
void end_graph_memory(int index) noexcept;
void drop_graph_memory(const void* graph, int index) noexcept;

// ---- which GPUs a build's kernels run on
// True if kernels compiled for these architectures, such as "80-real 90a-real 90-virtual" in CMake's terms,
// run on a GPU of this compute capability, such as 86 for 8.6. Machine code (real) runs within its own major
// version, from its minor version on; with an "a", only on exactly that version. PTX (virtual) is translated
// for all later ones. A word that is not a number, such as "native", counts as yes.
inline bool has_kernels_for(const std::string& architectures, int capability) {
  std::istringstream words(architectures);
  for (std::string word; words >> word;) {
    std::istringstream parts(word);
    int built = 0;
    if (!(parts >> built)) return true;
    std::string kind;
    parts >> kind;
    const bool exact = kind.starts_with("a"), same_major = capability / 10 == built / 10;
    if (exact ? capability == built : capability >= built && (same_major || !kind.ends_with("-real")))
      return true;
  }
  return false;
}

}  // namespace glassgrad::cuda
