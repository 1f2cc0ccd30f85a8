// torch.autocast: matrix products and attention in a half dtype, from float32 tensors. Each device type has
// its own setting, as in PyTorch.
#pragma once
#include <initializer_list>
#include <unordered_map>

#include "core/for_scope.h"
#include "ops.h"

namespace glassgrad {

// The half in which these ops read floats other than float64, by device type; float32: unchanged.
extern thread_local constinit DType autocast_dtypes[3];  // by DeviceType
inline DType& autocast_dtype(DeviceType device) { return autocast_dtypes[int(device)]; }

// Sets autocast_dtype(device) until the end of the scope.
struct Autocast : ForScope<DType> {
  explicit Autocast(DType dtype, DeviceType device = DeviceType::CPU)
      : ForScope(autocast_dtype(device), dtype) {}
};

inline bool is_autocast(const Tensor& x, DType dtype) {
  return x && is_floating(x.dtype()) && x.dtype() != float64 && x.dtype() != dtype;
}
inline bool autocasts() { return autocast_dtypes[0] != float32 || autocast_dtypes[1] != float32; }

// True if autocast changes one of these inputs: the op must then be called again with all of them lowered.
inline bool lowers(std::initializer_list<const Tensor*> inputs) {
  if (!autocasts()) [[likely]]
    return false;
  for (const Tensor* x : inputs)
    if (*x && autocast_dtype(x->device().type) != float32 &&
        is_autocast(*x, autocast_dtype(x->device().type)))
      return true;
  return false;
}
// Returns x rounded to autocast's half dtype; x itself if autocast does not change it.
Tensor lowered(const Tensor& x);
// Returns cat(group, 0) in autocast's half dtype.
Tensor lowered_rows(const std::vector<Tensor>& group);

// Lowers all weights of a forward pass up front, in few launches. Until the end of the scope, lowered()
// returns these halves.
class AutocastCache {
 public:
  // A group is one weight, or several weights whose rows are read as one matrix.
  explicit AutocastCache(const std::vector<std::vector<Tensor>>& groups);
  ~AutocastCache();
  AutocastCache(const AutocastCache&) = delete;
  AutocastCache& operator=(const AutocastCache&) = delete;

 private:
  friend Tensor lowered_rows(const std::vector<Tensor>& group);
  struct Half {
    size_t count;  // of tensors in the group
    Tensor rows;
  };
  std::unordered_map<const Impl*, Half> halves_;  // by the group's first tensor
  const AutocastCache* before_;
};

}  // namespace glassgrad
