#include "apps/ask/named_recorder.h"

namespace glassgrad {

void NamedRecorder::named(const Tensor& x, const char* name) {
  values_.push_back({snapshots().take(x), open_path() + name, node_of(x), x.requires_grad()});
}

}  // namespace glassgrad
