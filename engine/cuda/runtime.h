// What the sources share that stand between the engine and CUDA: runtime.cu, memory.cu, graph.cu, error.cpp.
#pragma once
#include <cstddef>
#include <sstream>
#include <string>

namespace glassgrad::cuda {

// ---- what CUDA's functions answer, as errors. Kept out of the .cu files: they include no fmt.
// RuntimeError `CUDA error: <what the driver says>`, with the call that told. On a GPU a kernel's fault shows
// at a later call: GLASSGRAD_SYNC=1 waits after each kernel, and names the one.
bool is_synchronous();  // GLASSGRAD_SYNC is set: every kernel is waited for
[[noreturn]] void throw_cuda_error(const char* call, const char* name, const char* message);
// `CUDA out of memory. Tried to allocate …`.
[[noreturn]] void throw_out_of_memory(size_t asked, size_t free, size_t total, size_t used, int index);

// ---- memory of graphs: what a captured kernel writes, it writes at every replay
// Until end_graph_memory, take() hands out blocks that belong to the graph. Those that its tensors give back
// serve its later tensors, and nobody else before the graph is dropped.
void begin_graph_memory(const void* graph, int index);
void end_graph_memory(int index) noexcept;
void drop_graph_memory(const void* graph, int index) noexcept;

// ---- which GPUs a build's kernels run on
// Do kernels compiled for "80-real 90a-real 90-virtual", as CMake names GPUs, run on one of compute
// capability 8.6, written 86? Machine code (real) runs within its own major version, from its minor version
// on; with an a, on this very one alone. PTX (virtual) is translated for all later ones. Of a word that is no
// number, "native", nothing is known: yes.
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
