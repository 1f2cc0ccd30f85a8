#include "anomaly.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "../autograd.h"
#include "../ops.h"

namespace glassgrad {
namespace {

// True for a view: it only shows numbers that already exist, or memory that has not been written yet.
bool is_view(const Call& call, const Tensor& out) {
  return std::any_of(call.in.begin(), call.in.end(), [&](const Tensor* x) {
    return *x && x->ref() != out.ref() && (*x)->storage->data == out->storage->data;
  });
}

}  // namespace

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

std::string ScopeTracker::description(const Call& call, const Tensor& out) const {
  std::string text = call.op.name;
  if (call.backward_of) {
    const auto made = made_by_.find(call.backward_of->seq);
    text += made != made_by_.end() ? fmt::format(", the gradient of {}", made->second)
                                   : fmt::format(" in {}, going backward", call.backward_of->name());
  } else if (!scopes_.empty()) {
    text += fmt::format(" in {}", fmt::join(scopes_, "."));
  }
  return text + fmt::format(", shape {}", out.shape());
}

void ScopeTracker::note(const Call& call) {
  if (call.backward_of) return;
  for (const Tensor& out : call.out)
    if (out && out->fn) {
      std::string where = call.op.name;
      if (!scopes_.empty()) where += fmt::format(" in {}", fmt::join(scopes_, "."));
      made_by_[out->fn->seq] = std::move(where);
    }
}

void DetectAnomaly::op(const Call& call) {
  note(call);
  for (const Tensor& out : call.out)
    if (const char* what = non_finite_kind(out); what && what[0] == 'n' && !is_view(call, out))
      fail<Anomaly>("{} from {}", what, description(call, out));
}

}  // namespace glassgrad
