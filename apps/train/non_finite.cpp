#include "apps/train/non_finite.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/autograd.h"
#include "engine/ops.h"
#include "engine/trace.h"

namespace glassgrad::train {
namespace {

// "nan", "inf", "-inf", or nothing for finite numbers; what says more than -inf first.
const char* oddity(const Tensor& x) {
  if (!x || !is_floating(x.dtype()) || all_finite(x)) return nullptr;
  bool above = false;
  for (const double value : x.to_vector<double>()) {
    if (std::isnan(value)) return "nan";
    above = above || value == HUGE_VAL;
  }
  return above ? "inf" : "-inf";
}

class Search : public Observer {
 public:
  bool wants_steps() const override { return false; }  // what is sought came from the ops as they are
  void scope(const char* name, bool enter) override {
    if (enter)
      scopes_.emplace_back(name);
    else
      scopes_.pop_back();
  }
  void op(const Call& call) override {
    if (!found_.empty()) return;
    for (const Tensor& out : call.out)
      if (const char* what = oddity(out)) {
        std::string text = fmt::format("{} from {}", what, call.op.name);
        if (call.backward_of)
          text += fmt::format(" in {}, going backward", call.backward_of->op->node);
        else if (!scopes_.empty())
          text += fmt::format(" in {}", fmt::join(scopes_, "."));
        text += fmt::format(", shape {}", out.shape());
        (what[0] == '-' ? masked_ : found_) = text;
      }
  }
  std::string result() const {
    if (!found_.empty()) return found_;
    return masked_.empty() ? "it did not come back when the step was repeated" : masked_;
  }

 private:
  std::vector<std::string> scopes_;
  std::string found_, masked_;
};

}  // namespace

std::string first_non_finite(const std::vector<NamedTensor>& parameters, const std::function<void()>& work) {
  for (const auto& [name, tensor] : parameters)
    if (const char* what = oddity(tensor)) return fmt::format("{} in the weights of {}", what, name);
  Search search;
  {
    const Watch watch(&search);
    work();
  }
  return search.result();
}

}  // namespace glassgrad::train
