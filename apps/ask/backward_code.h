// A node's calls as lines of code, with the names that the pass uses.
#pragma once
#include "apps/ask/backward_names.h"

namespace glassgrad::learn {

// Writes a call as "softmax(scaled_scores, dim=-1)", with these names of its inputs; empty names are left
// out.
std::string call_text(const RecordedCall& call, std::vector<std::string> inputs);

// Writes the calls of a node's backward as one nested expression: "mm(t(keys), grad_attn_scores)".
class GradientText {
 public:
  // `incoming`: the gradients of the node's results, and their names.
  GradientText(const BackwardNames& names, std::vector<std::pair<Snapshot, std::string>> incoming)
      : names_(names), known_(std::move(incoming)) {}

  std::string of(const Snapshot& x);
  void add(const RecordedCall& call);
  // Returns a line with the formula of each op that was added, except views and ops without inputs:
  // "softmax_backward: y(g - sum(g y)) (g: what arrives, y: the result)".
  std::vector<std::string> rules() const;

 private:
  const BackwardNames& names_;
  std::vector<std::pair<Snapshot, std::string>> known_;
  std::vector<const Op*> ops_;
};

}  // namespace glassgrad::learn
