#include "apps/train/step_graph.h"

#include "engine/ops.h"
#include "engine/trace.h"

namespace glassgrad::train {

StepGraph::StepGraph(std::vector<Tensor> parameters, Generator* draws)
    : parameters_(std::move(parameters)), draws_(draws) {}

Tensor StepGraph::run(const Batch& batch, const Work& work) {
  constexpr int kAsTheyAre = 2;
  const bool fits = !graph_ || batch.inputs.shape() == inputs_.inputs.shape();
  if (batch.inputs.device() == kCpu || watching || !why_not_.empty() || !fits || steps_++ < kAsTheyAre)
    return work(batch);
  return graph_ || captured(batch, work) ? replayed(batch) : work(batch);
}

bool StepGraph::captured(const Batch& batch, const Work& work) {
  inputs_ = {clone(batch.inputs), clone(batch.targets)};
  graph_.emplace(batch.inputs.device(), draws_);
  try {
    graph_->capture([&] { result_ = work(inputs_); });
  } catch (const Error& e) {
    graph_.reset();
    why_not_ = e.what();
    return false;
  }
  for (const Tensor& p : parameters_) gradients_.push_back(p.grad());
  return true;
}

Tensor StepGraph::replayed(const Batch& batch) {
  const NoGrad no_grad;
  copy_(inputs_.inputs, batch.inputs);
  copy_(inputs_.targets, batch.targets);
  graph_->replay();
  for (size_t i = 0; i < parameters_.size(); ++i) parameters_[i].set_grad(gradients_[i]);
  return result_;
}

}  // namespace glassgrad::train
