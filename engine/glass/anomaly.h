// Finds where nan and infinity come from. torch.autograd.set_detect_anomaly checks only the gradients; this
// code checks every value, forward and backward, as it is computed.
#pragma once
#include <string>
#include <unordered_map>
#include <vector>

#include "../core/error.h"
#include "../trace.h"

namespace glassgrad {

// A call's result holds nan.
struct Anomaly : Error {
  using Error::Error;
};

// "nan", "inf" or "-inf"; null for all other numbers.
const char* non_finite(const Scalar& x);
// "nan" if x holds one, else "inf", else "-inf"; null if all numbers are finite or x is undefined.
const char* non_finite_kind(const Tensor& x);

// Keeps track of the scopes that calls are in, and of which node a backward call belongs to.
class ScopeTracker : public Observer {
 public:
  bool wants_steps() const override { return false; }  // fused ops must run unchanged
  void scope(const char* name, bool enter) override;

 protected:
  // "log in model.norm, shape [2, 3]"; in a backward pass "mul, the gradient of log in model.norm, shape [2,
  // 3]". A node is named if note() has seen the call that created it.
  std::string description(const Call& call, const Tensor& out) const;
  void note(const Call& call);

 private:
  std::string in_scopes(const Op& op) const;
  std::vector<std::string> scopes_;
  std::unordered_map<uint64_t, std::string> made_by_;  // "log in model.norm", by a node's seq
};

// Use it as Watch(&anomalies). The first call whose result holds a nan throws Anomaly, `nan from log in
// model.norm, shape [2, 3]`. Values that a tensor already had, and the uninitialised memory of `empty`, do
// not count as results. Infinities are allowed, because masks use them. Make a new one for each training
// step: it remembers every node that it saw.
class DetectAnomaly : public ScopeTracker {
 public:
  void op(const Call& call) override;
};

}  // namespace glassgrad
