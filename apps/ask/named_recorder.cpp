#include "apps/ask/named_recorder.h"

namespace glassgrad {

void NamedRecorder::named(const Tensor& x, const char* name) {
  std::string qualified;
  for (size_t i = 1; i < open_scopes().size(); ++i)  // skip the outermost module, which the caller named
    qualified += scopes()[open_scopes()[i]].name + ".";
  values_.push_back({snapshots().take(x), qualified + name, node_of(x), x.requires_grad()});
}

}  // namespace glassgrad
