// Implements the graphs of gpus.h.
#include <utility>

#include "../core/gpu.h"
#include "launch.h"
#include "runtime.h"

namespace glassgrad::gpu {
using namespace cuda;

namespace {

struct Graph {
  int index;
  cudaStream_t stream;  // of GPU `index`, even if a different GPU is current when the graph ends
  cudaGraphExec_t executable = nullptr;
  WorkCounts work;  // the work of a replay; during the capture, the work counted before it
};
thread_local Graph* capturing = nullptr;

}  // namespace

// Relaxed, so that memory may be allocated meanwhile; the allocation does not become part of the graph.
void begin_capture(int index) {
  use(index);
  capturing = new Graph{index, stream(), nullptr, work_done()};
  begin_graph_memory(capturing, index);
  const cudaError_t result = cudaStreamBeginCapture(capturing->stream, cudaStreamCaptureModeRelaxed);
  if (result == cudaSuccess) return;
  end_graph_memory(index);
  drop_graph(std::exchange(capturing, nullptr));
  check(result, "cudaStreamBeginCapture");
}

bool is_capturing() noexcept { return capturing != nullptr; }

void abandon_capture() noexcept {
  cudaGraph_t noted = nullptr;
  if (cudaStreamEndCapture(capturing->stream, &noted) == cudaSuccess && noted) cudaGraphDestroy(noted);
  cudaGetLastError();
  end_graph_memory(capturing->index);
  drop_graph(std::exchange(capturing, nullptr));
}

void* end_capture() {
  cudaGraph_t noted = nullptr;
  cudaError_t result = cudaStreamEndCapture(capturing->stream, &noted);
  if (result == cudaSuccess) {
    result = cudaGraphInstantiate(&capturing->executable, noted, 0);
    cudaGraphDestroy(noted);
  }
  end_graph_memory(capturing->index);
  Graph* const graph = std::exchange(capturing, nullptr);
  if (result != cudaSuccess) drop_graph(graph);
  check(result, "cudaStreamEndCapture");
  const WorkCounts before = graph->work, now = work_done();
  graph->work = {now.launches - before.launches, now.bytes - before.bytes, now.products - before.products,
                 now.unaligned_products - before.unaligned_products};
  return graph;
}

void launch_graph(void* graph) {
  const auto* const launched = static_cast<const Graph*>(graph);
  use(launched->index);
  GG_CUDA_CHECK(cudaGraphLaunch(launched->executable, launched->stream));
  add_work(launched->work);
  if (waits_for_kernels()) GG_CUDA_CHECK(cudaStreamSynchronize(launched->stream));
}

void drop_graph(void* graph) noexcept {
  auto* const dropped = static_cast<Graph*>(graph);
  cudaStreamSynchronize(dropped->stream);
  if (dropped->executable) cudaGraphExecDestroy(dropped->executable);
  drop_graph_memory(dropped, dropped->index);
  delete dropped;
}

}  // namespace glassgrad::gpu
