#include "gpus.h"

#include <atomic>
#include <utility>

#include "core/gpu.h"
#include "cuda/kernels.h"
#include "literal.h"
#include "ops.h"

namespace glassgrad::gpu {
namespace {

struct Counter {
  std::atomic<int64_t> n = 0;
  void add(int64_t more) noexcept {
    if (more) n.fetch_add(more, std::memory_order_relaxed);
  }
  int64_t now() const noexcept { return n.load(std::memory_order_relaxed); }
};
constinit Counter launches, bytes, products, unaligned_products;

}  // namespace

WorkCounts work_done() noexcept {
  return {launches.now(), bytes.now(), products.now(), unaligned_products.now()};
}
void add_work(const WorkCounts& more) noexcept {
  launches.add(more.launches), bytes.add(more.bytes), products.add(more.products);
  unaligned_products.add(more.unaligned_products);
}

}  // namespace glassgrad::gpu

namespace glassgrad {

int gpu_count() { return gpu::device_count(); }
std::string gpu_name(int index) { return gpu::device_name(index); }
int64_t gpu_memory(int index) { return gpu::device_memory(index); }
std::string cuda_version() { return gpu::version(); }
std::vector<std::string> cublaslt_plans() { return cuda::blas_plans(); }

void synchronize(Device device) {
  if (device.type == DeviceType::CUDA) gpu::synchronize(device.index);
}

GpuMemory gpu_memory_use(int index) {
  const gpu::MemoryUse use = gpu::memory_use(index);
  return {use.used, use.most_used};
}
void forget_most_used(int index) { gpu::forget_most_used(index); }

// ---- captured work
namespace {

// While this object lives, kernels read the generator's seed and offset from `place`, and offset() counts
// from 0.
class Replayable {
 public:
  Replayable(Generator* g, const int64_t* place) : generator_(g), before_(g ? g->offset() : 0) {
    if (g) set(place, 0);
  }
  ~Replayable() {  // NOLINT(bugprone-exception-escape): an offset that the generator had is valid
    if (generator_) set(nullptr, before_);
  }
  Replayable(const Replayable&) = delete;
  Replayable& operator=(const Replayable&) = delete;

 private:
  void set(const int64_t* place, uint64_t offset) const {
    generator_->replay_from(place);
    generator_->set_offset(offset);
  }

  Generator* generator_;
  uint64_t before_;
};

}  // namespace

Captured::Captured(Device gpu, Generator* draws) : gpu_(gpu), draws_(draws) {
  if (draws) drawn_from_ = empty_contiguous({2}, int64, gpu);
}

Captured::~Captured() {
  if (graph_) gpu::drop_graph(graph_);
}

void Captured::capture(const std::function<void()>& work) {
  check(!gpu::is_capturing(), "captured work cannot capture: capture one piece of work after the other");
  if (graph_) gpu::drop_graph(std::exchange(graph_, nullptr));
  const Replayable drawing(draws_, draws_ ? drawn_from_.raw().as<int64_t>() : nullptr);
  gpu::begin_capture(gpu_.index);
  try {
    work();
  } catch (...) {
    gpu::abandon_capture();
    throw;
  }
  graph_ = gpu::end_capture();
  words_ = draws_ ? draws_->offset() : 0;
}

void Captured::replay() const {
  if (draws_) {
    const NoRecording no_recording;
    const DefaultDevice here(kCpu);  // a CPU number is passed as a kernel's argument, not copied
    fill_(drawn_from_[0], tensor(int64_t(draws_->initial_seed())));
    fill_(drawn_from_[1], tensor(int64_t(draws_->offset())));
    draws_->set_offset(draws_->offset() + words_);
  }
  gpu::launch_graph(graph_);
}

}  // namespace glassgrad
