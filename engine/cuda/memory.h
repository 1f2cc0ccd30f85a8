// Memory of graphs: what a captured kernel writes, it writes at every replay.
#pragma once

namespace glassgrad::cuda {

// Until end_graph_memory, take() hands out blocks that belong to the graph. Those that its tensors give back
// serve its later tensors, and nobody else before the graph is dropped.
void begin_graph_memory(const void* graph, int index);
void end_graph_memory(int index) noexcept;
void drop_graph_memory(const void* graph, int index) noexcept;

}  // namespace glassgrad::cuda
