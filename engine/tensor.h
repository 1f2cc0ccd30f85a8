// A tensor: a view of a storage, and its place in the graph.
//
// Methods give a tensor's properties, views of it and its gradient. Everything that computes is a free
// function in ops.h; an in-place form ends in an underscore. Handles are cheap to copy and share the tensor.
#pragma once
#include <functional>
#include <optional>
#include <type_traits>
#include <vector>

#include "core/error.h"
#include "core/geometry.h"
#include "core/storage.h"

namespace glassgrad {

struct Node;
void release(Node*) noexcept;

// How a view was made, PyTorch's CreationMeta: it decides whether it may be written in place.
enum class CreationMeta : uint8_t { NotAView, View, OneOfMany, MadeUnderNoGrad };

// The tensor behind the handle.
struct Impl : Counted {
  DType dtype = float32;
  bool requires_grad = false;
  bool is_number = false;     // a 0-d tensor made from a C++ number: promotes by category alone
  bool is_parameter = false;  // printed as "Parameter containing:"
  bool retains_grad = false;
  std::atomic<bool> has_sink{false};  // sink is set and may be read without a lock
  CreationMeta creation_meta = CreationMeta::NotAView;
  uint16_t nr = 0;          // which output of fn
  uint32_t fn_version = 0;  // for a view: the version of the storage for which fn is valid
  int64_t offset = 0;       // first element, counted in elements
  Dims shape, strides;
  Ref<Storage> storage;
  Ref<Node> fn;    // the node that made it; null for a leaf
  Ref<Node> sink;  // for a leaf: the node that accumulates into grad
  Ref<Impl> base;  // the tensor that this is a view of, never itself a view
  Ref<Impl> grad;
  void* wrapper =
      nullptr;  // its wrapper object in another language; that object owns this tensor, not the reverse
};
void release(Impl*) noexcept;
Ref<Impl> new_impl();

template <class N>
concept Number = std::is_arithmetic_v<N>;

class Tensor {
 public:
  using Hook = std::function<Tensor(const Tensor& grad)>;
  using AfterHook = std::function<void(const Tensor& leaf)>;

  Tensor() = default;  // undefined: no tensor at all
  explicit Tensor(Ref<Impl> p) noexcept : p_(std::move(p)) {}
  // A number as a 0-d tensor: float64, int64 or bool, which takes the other operand's dtype unless that is of
  // a lower category.
  template <Number N>
  Tensor(N number)
      : Tensor(std::is_same_v<N, bool> ? from_number(int64_t(number), boolean)
               : std::is_integral_v<N> ? from_number(int64_t(number), int64)
                                       : from_number(double(number))) {}

  explicit operator bool() const { return bool(p_); }  // defined?
  Impl* operator->() const { return p_.get(); }
  const Ref<Impl>& ref() const { return p_; }

  // ---- properties
  const Dims& shape() const { return p_->shape; }
  const Dims& strides() const { return p_->strides; }  // in elements
  int64_t dim() const { return p_->shape.n; }
  int64_t size(int64_t d) const;  // d may be negative; IndexError outside the range
  int64_t numel() const { return p_->shape.numel(); }
  DType dtype() const { return p_->dtype; }
  Device device() const { return p_->storage->device; }
  uint32_t version() const { return p_->storage->version; }
  bool is_contiguous() const;
  View raw() const;  // the view that kernels take; for a GPU's tensor, its address is on the GPU
  // The value of a tensor with one element. Throws RuntimeError `a Tensor with 3 elements cannot be converted
  // to Scalar`, and for a tensor on Meta.
  template <Number T = double>
  T item() const {
    return is_floating(dtype()) ? T(item_double()) : T(item_int());
  }
  // All elements in logical order, converted to T.
  template <Number T>
  std::vector<T> to_vector() const;
  // bool(tensor). Throws RuntimeError `Boolean value of Tensor with more than one value is ambiguous`.
  bool is_true() const;

  // ---- views: share the storage and have a node (torch.Tensor's methods of the same names). Dimensions may
  // be negative.
  Tensor t() const;  // 2-D: rows and columns swapped; 0-d and 1-D: a view of itself
  Tensor T() const;  // dimensions reversed
  Tensor transpose(int64_t dim0, int64_t dim1) const;
  Tensor permute(const Dims& order) const;
  Tensor view(const Dims& shape) const;     // one entry may be -1; throws if it would need a copy
  Tensor reshape(const Dims& shape) const;  // a view where possible, else a copy
  Tensor flatten(int64_t start_dim = 0, int64_t end_dim = -1) const;
  Tensor unflatten(int64_t dim, const Dims& sizes) const;
  Tensor slice(int64_t dim, std::optional<int64_t> start, std::optional<int64_t> stop,
               int64_t step = 1) const;
  Tensor narrow(int64_t dim, int64_t start, int64_t length) const;
  Tensor select(int64_t dim, int64_t index) const;
  Tensor operator[](int64_t index) const { return select(0, index); }
  Tensor expand(const Dims& shape) const;  // -1 keeps a size
  Tensor unsqueeze(int64_t dim) const;
  Tensor squeeze() const;
  Tensor squeeze(int64_t dim) const;
  std::vector<Tensor> unbind(int64_t dim = 0) const;
  std::vector<Tensor> split(int64_t size, int64_t dim = 0) const;
  std::vector<Tensor> split_with_sizes(const std::vector<int64_t>& sizes, int64_t dim = 0) const;
  std::vector<Tensor> chunk(int64_t chunks, int64_t dim = 0) const;
  Tensor diagonal(int64_t offset = 0, int64_t dim1 = 0, int64_t dim2 = 1) const;
  Tensor as_strided(const Dims& shape, const Dims& strides,
                    int64_t offset) const;  // offset from this tensor's first element
  Tensor alias() const;                     // all of x, like x[...]
  Tensor contiguous() const;                // x itself if it is contiguous, else a copy
  Tensor detach() const;                    // no graph, same version counter
  Tensor data() const;                      // no graph, a version counter of its own

  // ---- graph
  bool requires_grad() const;
  // Throws RuntimeError for dtypes that are not floating, and for a tensor that has a grad_fn.
  const Tensor& requires_grad_(bool on = true) const;
  bool is_leaf() const;
  // "MulBackward0"; nullptr if there is none; "Invalid", like PyTorch, if grad_fn() would throw.
  const char* grad_fn_name() const;
  Tensor grad() const { return Tensor(p_->grad); }
  // Undefined: no gradient. Throws RuntimeError if g is this tensor, or differs from it in dtype, shape or
  // device.
  void set_grad(const Tensor& g) const;
  // Adds d(this·gradient)/d(leaf) to every leaf's grad. Without gradient: one element only, with 1.
  void backward(const Tensor& gradient = {}, std::optional<bool> retain_graph = {},
                bool create_graph = false) const;
  // Calls hook with the gradient of this tensor when it is known; its result (if defined) replaces the
  // gradient and must have the same shape and dtype. Returns the id for remove_hook; `name` appears in error
  // texts.
  uint64_t register_hook(Hook hook, std::string name = {}) const;
  // Calls hook with this leaf after each backward pass that has changed its grad. Throws RuntimeError if this
  // is not a leaf, or needs no gradient.
  uint64_t register_post_accumulate_grad_hook(AfterHook hook) const;
  void remove_hook(uint64_t id) const;
  void retain_grad() const;  // keep .grad of a tensor that is not a leaf

 private:
  static Tensor from_number(double value);
  static Tensor from_number(int64_t value, DType dtype);
  void check_number() const;  // can it be read by item()?
  double item_double() const;
  int64_t item_int() const;

  Ref<Impl> p_;
};

// ---- low-level constructors; not recorded, no graph
Tensor empty_strided(const Dims& shape, const Dims& strides, DType dtype, Device device = {});
Tensor empty_contiguous(const Dims& shape, DType dtype, Device device = {});
Tensor shallow_copy(const Tensor& x);  // same storage and geometry
// Returns x with the same strides in the CPU's memory: x itself if it is there already.
Tensor on_host(const Tensor& x);

// A tensor and its name in a module, an optimizer's state or a file.
struct NamedTensor {
  std::string name;  // "heads.0.W_query.weight"
  Tensor tensor;
};

}  // namespace glassgrad
