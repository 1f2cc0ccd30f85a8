// torch.autocast: products of matrices and attention in a half, from float32 tensors. Each type of device has
// a setting of its own, as in PyTorch.
#pragma once
#include <initializer_list>
#include <unordered_map>

#include "core/for_scope.h"
#include "ops.h"

namespace glassgrad {

// The half in which those ops read their floats that are not float64, by type of device; float32: as they
// are.
extern thread_local constinit DType autocast_dtypes[2];
inline DType& autocast_dtype(DeviceType device) { return autocast_dtypes[int(device)]; }

// Sets it until the end of the scope.
struct Autocast : ForScope<DType> {
  explicit Autocast(DType dtype, DeviceType device = DeviceType::CPU)
      : ForScope(autocast_dtype(device), dtype) {}
};

inline bool is_autocast(const Tensor& x, DType dtype) {
  return x && is_floating(x.dtype()) && x.dtype() != float64 && x.dtype() != dtype;
}
inline bool autocasts() { return autocast_dtypes[0] != float32 || autocast_dtypes[1] != float32; }

// Is an op to be called again with what lowered() makes of its inputs?
inline bool lowers(std::initializer_list<const Tensor*> inputs) {
  if (!autocasts()) [[likely]]
    return false;
  for (const Tensor* x : inputs)
    if (*x && autocast_dtype(x->device().type) != float32 &&
        is_autocast(*x, autocast_dtype(x->device().type)))
      return true;
  return false;
}
// x in the half that autocast reads it in; x itself if it is read as it is.
Tensor lowered(const Tensor& x);
// cat(group, 0), lowered.
Tensor lowered_rows(const std::vector<Tensor>& group);

// Lowers all weights of a forward pass in few launches, before it needs them: until the end of the scope,
// lowered() gives these.
class LoweredTogether {
 public:
  // groups: weights that are read alone, and lists of those whose rows are read as one matrix.
  explicit LoweredTogether(const std::vector<std::vector<Tensor>>& groups);
  ~LoweredTogether();
  LoweredTogether(const LoweredTogether&) = delete;
  LoweredTogether& operator=(const LoweredTogether&) = delete;

 private:
  friend Tensor lowered_rows(const std::vector<Tensor>& group);
  struct Half {
    size_t count;  // of tensors in the group
    Tensor rows;
  };
  std::unordered_map<const Impl*, Half> halves_;  // by the group's first
  const LoweredTogether* before_;
};

}  // namespace glassgrad
