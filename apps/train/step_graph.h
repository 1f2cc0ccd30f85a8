// The part of a training step from its batch to its gradients: on a GPU, captured once and launched as one.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/text/dataset.h"
#include "engine/gpus.h"
#include "engine/tensor.h"

namespace glassgrad::train {

// Small models spend more time on launches than on arithmetic. The first two steps run normally, so that
// everything has run once; the third is captured and from then on replayed on each batch. Work runs normally
// if it cannot be captured, is watched, or is on the CPU.
class StepGraph {
 public:
  // Recomputes .grad of all parameters. Returns the step's measurements, on the batch's device.
  using Work = std::function<Tensor(const Batch&)>;
  // draws: the GPU generator that the work draws from, or null.
  StepGraph(std::vector<Tensor> parameters, Generator* draws);

  // `work` must be the same in every call.
  Tensor run(const Batch& batch, const Work& work);
  bool is_captured() const { return graph_ && bool(*graph_); }
  // The error of a failed capture; empty if none failed.
  const std::string& why_not_captured() const { return why_not_; }

 private:
  bool captured(const Batch& batch, const Work& work);
  Tensor replayed(const Batch& batch);

  std::vector<Tensor> parameters_, gradients_;
  Generator* draws_;
  int steps_ = 0;
  std::string why_not_;
  std::optional<Captured> graph_;
  Batch inputs_;  // the buffers that the graph reads
  Tensor result_;
};

}  // namespace glassgrad::train
