// Where nan and infinity come from. torch.autograd.set_detect_anomaly looks at the gradients only; this looks
// at every value, going forward and backward, as it is made.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "../core/error.h"
#include "../trace.h"

namespace glassgrad {

// A value is no number.
struct Anomaly : Error {
  using Error::Error;
};

// "nan", "inf", "-inf", or null for finite numbers and for no tensor; what says more than -inf first.
const char* non_finite_kind(const Tensor& x);

// Remembers where the calls belong: in which scopes, going forward or backward.
class CallSites : public Observer {
 public:
  bool wants_steps() const override { return false; }  // what is sought came from the ops as they are
  void scope(const char* name, bool enter) override;

 protected:
  // "log in model.norm, shape [2, 3]"; of a backward "mul, the gradient of log in model.norm, shape [2, 3]".
  // A node is known if note() has seen the call that left it.
  std::string description(const Call& call, const Tensor& out) const;
  void note(const Call& call);

 private:
  std::vector<std::string> scopes_;
  std::unordered_map<uint64_t, std::string> made_by_;  // "log in model.norm", by a node's seq
};

// Watches: Watch(&anomalies). The first call whose result holds a nan ends the computation with an Anomaly,
// `nan from log in model.norm, shape [2, 3]`. What is in a tensor before, and what `empty` finds in its
// memory, is nobody's result. Infinities are allowed: masks are made of them. One for each step of a
// training: it remembers every node that it saw.
class DetectAnomaly : public CallSites {
 public:
  void op(const Call& call) override;
};

}  // namespace glassgrad
