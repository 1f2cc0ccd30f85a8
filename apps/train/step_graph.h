// The part of a training step from its batch to its gradients: on a GPU, noted once and launched as one.
#pragma once
#include <functional>
#include <optional>
#include <vector>

#include "apps/text/dataset.h"
#include "engine/captured.h"
#include "engine/tensor.h"

namespace glassgrad::train {

struct StepResults {
  Tensor loss, norm;  // 0-d, where the model lies
};

// Small models wait for launches more than for arithmetic. Two steps run as they are, so that everything has
// been done once; the third is captured, and from then on replayed on each batch. Work that cannot be
// captured, is watched, or is done by the CPU runs as it is, always.
class StepGraph {
 public:
  using Work = std::function<StepResults(const Batch&)>;
  // work: computes .grad of all parameters anew; draws: the GPU's generator that it draws with, if it does.
  StepGraph(std::vector<Tensor> parameters, Generator* draws, Work work);

  StepResults run(const Batch& batch);

 private:
  bool captured(const Batch& batch);
  StepResults replayed(const Batch& batch);

  std::vector<Tensor> parameters_, gradients_;
  Generator* draws_;
  Work work_;
  int steps_ = 0;
  bool possible_ = true;
  std::optional<Captured> graph_;
  Batch inputs_;  // that the graph reads
  StepResults results_;
};

}  // namespace glassgrad::train
