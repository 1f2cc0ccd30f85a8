// The part of a training step from its batch to its gradients: on a GPU, noted once and launched as one.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/text/dataset.h"
#include "engine/gpus.h"
#include "engine/tensor.h"

namespace glassgrad::train {

// Small models wait for launches more than for arithmetic. Two steps run as they are, so that everything has
// been done once; the third is captured, and from then on replayed on each batch. Work that cannot be
// captured, is watched, or is done by the CPU runs as it is, always.
class StepGraph {
 public:
  // Computes .grad of all parameters anew. Its result is what a step tells, on the device of the batch.
  using Work = std::function<Tensor(const Batch&)>;
  // draws: the GPU's generator that the work draws with, if it does.
  StepGraph(std::vector<Tensor> parameters, Generator* draws);

  // The same work every time.
  Tensor run(const Batch& batch, const Work& work);
  bool is_captured() const { return graph_ && bool(*graph_); }
  // What went wrong when it was to be captured; empty if nothing did.
  const std::string& why_not_captured() const { return why_not_; }

 private:
  bool captured(const Batch& batch, const Work& work);
  Tensor replayed(const Batch& batch);

  std::vector<Tensor> parameters_, gradients_;
  Generator* draws_;
  int steps_ = 0;
  std::string why_not_;
  std::optional<Captured> graph_;
  Batch inputs_;  // that the graph reads
  Tensor result_;
};

}  // namespace glassgrad::train
