// Graphs of kernels: captured.h.
#include <utility>

#include "device.h"
#include "launch.h"
#include "memory.h"

namespace glassgrad::cuda {
namespace {

struct Graph {
  cudaGraphExec_t executable = nullptr;
};
thread_local Graph* capturing = nullptr;

}  // namespace

// Relaxed: memory may be asked of the driver meanwhile, which is no part of the graph.
void begin_capture(int index) {
  use(index);
  capturing = new Graph;
  begin_graph_memory(capturing, index);
  const cudaError_t result = cudaStreamBeginCapture(stream(), cudaStreamCaptureModeRelaxed);
  if (result == cudaSuccess) return;
  end_graph_memory(index);
  drop_graph(std::exchange(capturing, nullptr), index);
  check(result, "cudaStreamBeginCapture");
}

bool is_capturing() noexcept { return capturing != nullptr; }

void abandon_capture(int index) noexcept {
  cudaGraph_t noted = nullptr;
  if (cudaStreamEndCapture(stream(), &noted) == cudaSuccess && noted) cudaGraphDestroy(noted);
  cudaGetLastError();
  end_graph_memory(index);
  drop_graph(std::exchange(capturing, nullptr), index);
}

void* end_capture(int index) {
  cudaGraph_t noted = nullptr;
  cudaError_t result = cudaStreamEndCapture(stream(), &noted);
  if (result == cudaSuccess) {
    result = cudaGraphInstantiate(&capturing->executable, noted, 0);
    cudaGraphDestroy(noted);
  }
  end_graph_memory(index);
  Graph* const graph = std::exchange(capturing, nullptr);
  if (result != cudaSuccess) drop_graph(graph, index);
  check(result, "cudaStreamEndCapture");
  return graph;
}

void launch_graph(void* graph, int index) {
  use(index);
  GG_CUDA_CHECK(cudaGraphLaunch(static_cast<Graph*>(graph)->executable, stream()));
  if (waits_for_kernels()) GG_CUDA_CHECK(cudaStreamSynchronize(stream()));
}

void drop_graph(void* graph, int index) noexcept {
  auto* const dropped = static_cast<Graph*>(graph);
  cudaStreamSynchronize(stream());
  if (dropped->executable) cudaGraphExecDestroy(dropped->executable);
  drop_graph_memory(dropped, index);
  delete dropped;
}

}  // namespace glassgrad::cuda
