#include "captured.h"

#include "cuda/device.h"

namespace glassgrad {

Captured::Captured(Device gpu) : gpu_(gpu) {}

Captured::~Captured() {
  if (graph_) cuda::drop_graph(graph_, gpu_.index);
}

void Captured::capture(const std::function<void()>& work) {
  cuda::begin_capture(gpu_.index);
  try {
    work();
  } catch (...) {
    cuda::abandon_capture(gpu_.index);
    throw;
  }
  graph_ = cuda::end_capture(gpu_.index);
}

void Captured::replay() const { cuda::launch_graph(graph_, gpu_.index); }

}  // namespace glassgrad
