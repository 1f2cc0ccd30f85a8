#include "apps/train/non_finite.h"

#include <fmt/core.h>

#include "engine/glass/anomaly.h"

namespace glassgrad::train {
namespace {

class Search : public ScopeTracker {
 public:
  void op(const Call& call) override {
    if (!found_.empty()) return;
    note(call);
    for (const Tensor& out : call.out)
      if (const char* what = non_finite_kind(out))
        (what[0] == '-' ? masked_ : found_) = fmt::format("{} from {}", what, description(call, out));
  }
  std::string result() const {
    if (!found_.empty()) return found_;
    return masked_.empty() ? "it did not come back when the step was repeated" : masked_;
  }

 private:
  std::string found_, masked_;
};

}  // namespace

std::string first_non_finite(const std::vector<NamedTensor>& parameters, const std::function<void()>& work) {
  for (const auto& [name, tensor] : parameters)
    if (const char* what = non_finite_kind(tensor)) return fmt::format("{} in the weights of {}", what, name);
  Search search;
  {
    const Watch watch(&search);
    work();
  }
  return search.result();
}

}  // namespace glassgrad::train
