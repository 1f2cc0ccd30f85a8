#include "tensor.h"

#include <new>
#include <utility>

#include "autograd.h"

namespace glassgrad {

// ---- making
Ref<Impl> new_impl() { return Ref<Impl>(new (take_block(sizeof(Impl))) Impl); }

namespace {

Tensor made(const Dims& shape, const Dims& strides, int64_t elements, DType dtype, Device device) {
  Ref<Impl> p = new_impl();
  p->dtype = dtype;
  p->shape = shape;
  p->strides = strides;
  const int64_t bytes = elements * item_size(dtype);
  if (!std::in_range<size_t>(bytes)) throw std::bad_alloc();  // size_t has 32 bits in a web page
  p->storage = new_storage(size_t(bytes), device);
  return Tensor(std::move(p));
}

}  // namespace

Tensor empty_strided(const Dims& shape, const Dims& strides, DType dtype, Device device) {
  checked_numel(shape, dtype);
  return made(shape, strides, extent(shape, strides), dtype, device);
}
Tensor empty_contiguous(const Dims& shape, DType dtype, Device device) {
  const int64_t n = checked_numel(shape, dtype);
  return made(shape, contiguous_strides(shape), n, dtype, device);
}

Tensor shallow_copy(const Tensor& x) {
  Ref<Impl> p = new_impl();
  p->dtype = x->dtype;
  p->offset = x->offset;
  p->shape = x->shape;
  p->strides = x->strides;
  p->storage = x->storage;
  return Tensor(std::move(p));
}

Tensor on_host(const Tensor& x) {
  if (x.device() == kCpu) return x;
  Tensor y = empty_strided(x.shape(), x.strides(), x.dtype());
  copy_bytes(y->storage->data, kCpu, x.raw().data, x.device(), y->storage->bytes);
  return y;
}

Tensor Tensor::from_number(double value) {
  Tensor x = empty_strided({}, {}, float64);
  *static_cast<double*>(x->storage->data) = value;
  x->is_number = true;
  return x;
}

Tensor Tensor::from_number(int64_t value, DType dtype) {
  Tensor x = empty_strided({}, {}, dtype);
  dtype == boolean ? void(*static_cast<bool*>(x->storage->data) = value != 0)
                   : void(*static_cast<int64_t*>(x->storage->data) = value);
  x->is_number = true;
  return x;
}

// ---- properties
int64_t Tensor::size(int64_t d) const {
  check<IndexError>(dim() > 0, "Dimension specified as {} but tensor has no dimensions", d);
  return shape()[wrap_dim(d, dim())];
}

bool Tensor::is_contiguous() const { return glassgrad::is_contiguous(shape(), strides()); }

View Tensor::raw() const {
  return {static_cast<char*>(p_->storage->data) + p_->offset * item_size(p_->dtype), p_->shape, p_->strides,
          p_->dtype};
}

void Tensor::check_number() const {
  check(numel() == 1, "a Tensor with {} elements cannot be converted to Scalar", numel());
  check(device() != kMeta, "Tensor.item() cannot be called on meta tensors");
}

double Tensor::item_double() const {
  check_number();
  double value = 0;
  const Tensor x = on_host(*this);
  every_type(dtype(), [&](auto zero) { value = double(*x.raw().as<decltype(zero)>()); });
  return value;
}

int64_t Tensor::item_int() const {
  check_number();
  int64_t value = 0;
  const Tensor x = on_host(*this);
  every_type(dtype(), [&](auto zero) { value = int64_t(*x.raw().as<decltype(zero)>()); });
  return value;
}

bool Tensor::is_true() const {
  check(numel() != 0, "Boolean value of Tensor with no values is ambiguous");
  check(numel() == 1, "Boolean value of Tensor with more than one value is ambiguous");
  return item_double() != 0;
}

template <Number T>
std::vector<T> Tensor::to_vector() const {
  std::vector<T> values;
  values.reserve(size_t(numel()));
  const Tensor x = on_host(*this);
  const View v = x.raw();
  every_type(dtype(), [&](auto zero) {
    using Element = decltype(zero);
    Dims at;
    for (int64_t left = numel(); left > 0; --left) {
      int64_t place = 0;
      for (int d = 0; d < v.shape.n; ++d) place += at[d] * v.strides[d];
      values.push_back(T(v.as<Element>()[place]));
      for (int d = v.shape.n - 1; d >= 0 && ++at[d] == v.shape[d]; --d) at[d] = 0;
    }
  });
  return values;
}
template std::vector<double> Tensor::to_vector() const;
template std::vector<float> Tensor::to_vector() const;
template std::vector<int64_t> Tensor::to_vector() const;
template std::vector<bool> Tensor::to_vector() const;

// ---- tensors of the same storage that are not part of its graph
Tensor Tensor::detach() const { return shallow_copy(*this); }

Tensor Tensor::data() const {
  Tensor x = shallow_copy(*this);
  x->storage = alias_storage(p_->storage);
  return x;
}

// ---- the graph, seen from the tensor
bool Tensor::requires_grad() const { return needs_grad(*this); }

const Tensor& Tensor::requires_grad_(bool on) const {
  check(!on || is_floating(dtype()), "only Tensors of floating point dtype can require gradients");
  check(!on || !p_->storage->for_inference || inference_mode,
        "Setting requires_grad=True on inference tensor outside InferenceMode is not allowed.");
  if (on == requires_grad() && !is_leaf()) return *this;
  check(is_leaf(), "you can only change requires_grad flags of leaf variables.{}",
        on ? ""
           : " If you want to use a computed variable in a subgraph that doesn't require differentiation use "
             "var_no_grad = var.detach().");
  p_->requires_grad = on;
  return *this;
}

void Tensor::set_grad(const Tensor& g) const {
  if (g) {
    check(g.p_ != p_, "can't assign Variable as its own grad");
    check(
        g.dtype() == dtype(),
        "attempting to assign a gradient with dtype '{}' to a tensor with dtype '{}'. Please ensure that the "
        "gradient and the tensor have the same dtype",
        cpp_type_name(g.dtype()), cpp_type_name(dtype()));
    check(
        g.shape() == shape(),
        "attempting to assign a gradient of size '{}' to a tensor of size '{}'. Please ensure that the gradient "
        "and the tensor are the same size",
        g.shape(), shape());
    check(
        g.device() == device(),
        "attempting to assign a gradient with device type '{}' to a tensor with device type '{}'. Please ensure "
        "that the gradient and the tensor are on the same device",
        device_type_name(g.device().type), device_type_name(device().type));
  }
  p_->grad = g.ref();
}

bool Tensor::is_leaf() const { return !needs_grad(*this) || !grad_fn(*this); }

const char* Tensor::grad_fn_name() const {
  if (!needs_grad(*this)) return nullptr;
  if (has_invalid_fn(*this)) return "Invalid";
  const Node* fn = grad_fn(*this).get();
  return fn ? fn->name() : nullptr;
}

}  // namespace glassgrad
