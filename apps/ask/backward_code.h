// The calls of a node as lines of code, in the names of the pass.
#pragma once
#include "apps/ask/backward_names.h"

namespace glassgrad::learn {

// "softmax(scaled_scores, dim=-1)", of inputs called so; an empty name stands for none.
std::string call_text(const RecordedCall& call, std::vector<std::string> inputs);

// What a node's backward has computed, one call inside the other: "mm(t(keys), grad_attn_scores)".
class GradientText {
 public:
  // `incoming` are the gradients of the node's results and what they are called.
  GradientText(const BackwardNames& names, std::vector<std::pair<Snapshot, std::string>> incoming)
      : names_(names), known_(std::move(incoming)) {}

  std::string of(const Snapshot& x);
  void add(const RecordedCall& call);
  // "softmax_backward: y(g - sum(g y)) (g: what arrives, y: the result)", of each op that has been added and
  // does more than look.
  std::vector<std::string> rules() const;

 private:
  const BackwardNames& names_;
  std::vector<std::pair<Snapshot, std::string>> known_;
  std::vector<const Op*> ops_;
};

}  // namespace glassgrad::learn
