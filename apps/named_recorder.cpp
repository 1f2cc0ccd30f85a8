#include "apps/named_recorder.h"

#include <fmt/format.h>

namespace glassgrad {

void NamedRecorder::scope(const char* name, bool enter) {
  Recorder::scope(name, enter);
  if (enter)
    inside_.emplace_back(name);
  else
    inside_.pop_back();
}

void NamedRecorder::named(const Tensor& x, const char* name) {
  std::string qualified;
  for (size_t i = 1; i < inside_.size(); ++i) qualified += fmt::format("{}.", inside_[i]);
  values_.push_back({snapshots().take(x), qualified + name, node_of(x), x.requires_grad()});
}

}  // namespace glassgrad
