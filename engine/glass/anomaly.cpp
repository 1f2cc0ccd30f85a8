#include "anomaly.h"

#include <fmt/core.h>

#include <cmath>

#include "../autograd.h"
#include "../core/joined.h"
#include "../ops.h"
#include "why.h"

namespace glassgrad {

const char* non_finite(const Scalar& x) {
  if (!is_floating(x.dtype) || std::isfinite(x.real)) return nullptr;
  return std::isnan(x.real) ? "nan" : x.real > 0 ? "inf" : "-inf";
}

const char* non_finite_kind(const Tensor& x) {
  if (!x || !is_floating(x.dtype()) || all_finite(x)) return nullptr;
  bool above = false;
  for (const double value : x.to_vector<double>()) {
    if (std::isnan(value)) return "nan";
    above = above || value == HUGE_VAL;
  }
  return above ? "inf" : "-inf";
}

void ScopeTracker::scope(const char* name, bool enter) {
  if (enter)
    scopes_.emplace_back(name);
  else
    scopes_.pop_back();
}

std::string ScopeTracker::in_scopes(const Op& op) const {
  return scopes_.empty() ? op.name : fmt::format("{} in {}", op.name, joined(scopes_, "."));
}

std::string ScopeTracker::description(const Call& call, const Tensor& out) const {
  std::string text = in_scopes(call.op);
  if (call.backward_of) {
    const auto made = made_by_.find(call.backward_of->seq);
    text = made != made_by_.end()
               ? fmt::format("{}, the gradient of {}", call.op.name, made->second)
               : fmt::format("{} in {}, going backward", call.op.name, call.backward_of->name());
  }
  return fmt::format("{}, shape {}", text, out.shape());
}

void ScopeTracker::note(const Call& call) {
  if (call.backward_of) return;
  for (const Tensor& out : call.out)
    if (out && out->fn) made_by_[out->fn->seq] = in_scopes(call.op);
}

void DetectAnomaly::op(const Call& call) {
  note(call);
  for (const Tensor& out : call.out)
    if (const char* what = non_finite_kind(out); what && what[0] == 'n' && !is_view_of_input(call, out))
      fail<Anomaly>("{} from {}", what, description(call, out));
}

}  // namespace glassgrad
