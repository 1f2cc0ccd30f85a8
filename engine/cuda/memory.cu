// Allocates GPU memory. A freed block is kept for the next tensor of about the same size.
#include "runtime.h"

#include <bit>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "../core/gpu.h"
#include "launch.h"

namespace glassgrad::cuda {
namespace {

// Rounds up to one of four sizes per doubling, like the CPU's large blocks; at least 512 bytes.
struct Size {
  size_t bytes, index;
  explicit Size(size_t wanted) {
    if (wanted < 512) wanted = 512;
    const auto unit = size_t(std::bit_width(wanted - 1)) - 3;
    const size_t units = ((wanted - 1) >> unit) + 1;
    bytes = units << unit;
    index = unit * 4 + units - 5;
  }
};

// One stream runs everything, so a block may be reused while a kernel that reads it is still queued: the next
// kernel that writes it runs later.
class Blocks {
 public:
  void* take(size_t bytes, int index) {
    const Size size(bytes);
    const std::lock_guard lock(mutex_);
    void* block = capturing_ ? from_graph(size) : nullptr;
    if (!block) block = from_list(size);
    if (!block) block = from_driver(size.bytes, bytes, index);
    if (capturing_) of_graph_[block] = {capturing_, size.index, true};
    use_.used += int64_t(size.bytes);
    if (use_.used > use_.most_used) use_.most_used = use_.used;
    return block;
  }

  void give(void* block, size_t bytes) noexcept {
    const Size size(bytes);
    const std::lock_guard lock(mutex_);
    use_.used -= int64_t(size.bytes);
    if (const auto found = of_graph_.find(block); found != of_graph_.end()) {
      found->second.used = false;  // kept, because the graph writes it again
      return;
    }
    try {
      lists_[size.index].push_back(block);
      use_.kept += int64_t(size.bytes);
    } catch (...) {  // no memory left for the list
      cudaFree(block);
    }
  }

  void begin(const void* graph) {
    const std::lock_guard lock(mutex_);
    capturing_ = graph;
  }
  void end() noexcept {
    const std::lock_guard lock(mutex_);
    capturing_ = nullptr;
  }
  // Frees the graph's unused blocks; the others become ordinary blocks.
  void drop(const void* graph) noexcept {
    const std::lock_guard lock(mutex_);
    for (auto i = of_graph_.begin(); i != of_graph_.end();) {
      const auto [block, place] = *i;
      if (place.graph != graph) {
        ++i;
        continue;
      }
      i = of_graph_.erase(i);
      if (!place.used) cudaFree(block);
    }
  }

  void give_back_kept() noexcept {
    const std::lock_guard lock(mutex_);
    free_kept();
  }

  gpu::MemoryUse use() {
    const std::lock_guard lock(mutex_);
    return use_;
  }
  void forget_most_used() {
    const std::lock_guard lock(mutex_);
    use_.most_used = use_.used;
  }

 private:
  struct OfGraph {
    const void* graph;
    size_t size_index;
    bool used;
  };

  void* from_list(const Size& size) {
    auto& list = lists_[size.index];
    if (list.empty()) return nullptr;
    void* const block = list.back();
    list.pop_back();
    use_.kept -= int64_t(size.bytes);
    return block;
  }
  // Returns a block that a tensor of this capture gave back: that tensor's kernels run before the next
  // tensor's.
  void* from_graph(const Size& size) {
    for (auto& [block, place] : of_graph_)
      if (place.graph == capturing_ && !place.used && place.size_index == size.index) return block;
    return nullptr;
  }

  void* from_driver(size_t bytes, size_t asked, int index) {
    gpu::use(index);
    void* block = nullptr;
    ++use_.taken;
    cudaError_t result = cudaMalloc(&block, bytes);
    if (result == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      free_kept();  // waits for the kernels that may still use this memory
      result = cudaMalloc(&block, bytes);
    }
    if (result == cudaErrorMemoryAllocation) {
      cudaGetLastError();
      size_t free = 0, total = 0;
      GG_CUDA_CHECK(cudaMemGetInfo(&free, &total));
      throw_out_of_memory(asked, free, total, size_t(use_.used), index);
    }
    check(result, "cudaMalloc");
    return block;
  }

  void free_kept() noexcept {
    for (auto& list : lists_) {
      for (void* block : list) cudaFree(block);
      list.clear();
    }
    use_.kept = 0;
  }

  std::mutex mutex_;
  std::vector<void*> lists_[64 * 4];
  std::unordered_map<void*, OfGraph> of_graph_;  // blocks that belong to graphs
  const void* capturing_ = nullptr;
  gpu::MemoryUse use_{};
};

// Never destroyed: static tensors may outlive it.
Blocks& blocks(int index) {
  static Blocks* const all = new Blocks[16];
  return all[index];
}

}  // namespace

void begin_graph_memory(const void* graph, int index) { blocks(index).begin(graph); }
void end_graph_memory(int index) noexcept { blocks(index).end(); }
void drop_graph_memory(const void* graph, int index) noexcept { blocks(index).drop(graph); }

}  // namespace glassgrad::cuda

namespace glassgrad::gpu {
using cuda::blocks;

void* take(size_t bytes, int index) { return blocks(index).take(bytes, index); }
void give(void* data, size_t bytes, int index) noexcept { blocks(index).give(data, bytes); }
void give_back_kept(int index) noexcept { blocks(index).give_back_kept(); }
MemoryUse memory_use(int index) { return blocks(index).use(); }
void forget_most_used(int index) { blocks(index).forget_most_used(); }

}  // namespace glassgrad::gpu
