#include "apps/learn/costs.h"

#include <string_view>

namespace glassgrad::learn {

void Costs::op(const Call& call) {
  const std::string_view name = call.op.name;
  for (const Tensor& made : call.out)
    if (seen_.insert(made->storage->id).second) bytes += int64_t(made->storage->bytes);
  if (name != "mm" && name != "bmm" && name != "addmm") return;
  ++products;
  multiplications += call.out[0].numel() * call.in[name == "addmm" ? 1 : 0]->size(-1);
}

int64_t numbers_in(const std::vector<nn::NamedTensor>& tensors) {
  int64_t count = 0;
  for (const nn::NamedTensor& t : tensors) count += t.tensor.numel();
  return count;
}

}  // namespace glassgrad::learn
