// Counts the costs of a computation while it runs. The current observer keeps watching.
#pragma once
#include <string_view>
#include <unordered_set>
#include <vector>

#include "engine/trace.h"
#include "nn/module.h"

namespace glassgrad::learn {

// Products of matrices, multiplications in them, bytes of the tensors made.
struct Costs : Observer {
  int64_t products = 0, multiplications = 0, bytes = 0;

  void op(const Call& call) override;
  void before_write(const Tensor& x) override;
  void scope(const char* name, bool enter) override;
  void module_scope(const char* name, bool enter) override;
  void named(const Tensor& x, const char* name) override;
  void backward(const Node& node, std::span<const Tensor> grads, std::span<const Tensor> out) override;
  void leaf_gradient(const Tensor& leaf, const Tensor& grad) override;

 protected:
  Observer* const before = watching;

 private:
  std::unordered_set<uint64_t> seen_;  // storages
};

// Returns whether the op of this name is a product of matrices.
inline bool is_product(std::string_view op) { return op == "mm" || op == "bmm" || op == "addmm"; }
// Returns the multiplications in a product; 0 for any other op. shape_of(k): the shape of input k.
template <class F>
int64_t multiplications(std::string_view op, const Dims& result, F&& shape_of) {
  if (!is_product(op)) return 0;
  const Dims& left = shape_of(size_t{op == "addmm"});
  return result.numel() * left[left.n - 1];
}

inline int64_t multiplications(const Call& call) {
  if (!is_product(call.op.name)) return 0;
  return multiplications(call.op.name, call.out[0].shape(),
                         [&](size_t k) -> const Dims& { return call.in[k]->shape(); });
}
// The same; also reports them to the thread's monitor (cancel.h).
int64_t followed_multiplications(const Call& call);

}  // namespace glassgrad::learn
