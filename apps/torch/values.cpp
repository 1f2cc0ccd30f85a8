// torch.tensor: numbers and nested sequences as a tensor.
#include "engine/ops/promote.h"
#include "indexing.h"

namespace glassgrad::GG_HOST {
namespace {

constexpr size_t kMostNested = 128;  // deeper nesting is refused

// The sizes, read along the first items.
std::vector<int64_t> sizes_of(Object values) {
  std::vector<int64_t> sizes;
  for (Owned at = as_owned(as_result(values)); is_sequence(object_of(at));) {
    sizes.push_back(length(object_of(at)));
    check<ValueError>(sizes.size() <= kMostNested, "too many dimensions '{}'", class_text(object_of(at)));
    if (sizes.back() == 0) break;
    at = part_of(object_of(at), 0);
  }
  return sizes;
}

// The widest dtype among all values; a float counts as the default dtype.
DType inferred(Object o, size_t depth = 0) {
  check<ValueError>(depth <= kMostNested, "too many dimensions '{}'", class_text(o));
  if (const std::optional<DType> t = own_dtype(o)) return *t;
  check<TypeError>(!is_text(o), "new(): invalid data type '{}'", class_text(o));
  check(is_sequence(o), "Could not infer dtype of {}", class_text(o));
  const int64_t n = length(o);
  DType widest = n ? boolean : default_dtype();
  for (int64_t i = 0; i < n; ++i) {
    const Owned part = part_of(o, i);
    check<TypeError>(!same_object(object_of(part), o), "new(): self-referential lists are incompatible");
    widest = promoted(widest, inferred(object_of(part), depth + 1));
  }
  return widest;
}

// ---- one number
template <class T>
T element(Object o, [[maybe_unused]] DType dtype) {
  const Tensor* x = as_tensor(o);
  check<ValueError>(!x || x->numel() == 1, "only one element tensors can be converted to Python scalars");
  if constexpr (std::is_same_v<T, bool>) {
    return to_bool(o);
  } else if constexpr (std::is_integral_v<T>) {
    const bool whole = !is_plain_float(o);
    const int64_t number = whole ? to_int(o) : 0;
    const double value = whole ? double(number) : to_float(o);  // truncated, as in PyTorch
    check(number_fits(value, whole, dtype), "value cannot be converted to type {} without overflow",
          dtype_name(dtype) + 6);  // without "torch."
    return whole ? T(number) : T(value);
  } else {
    return T(to_float(o));
  }
}

template <class T>
class Filler {
 public:
  Filler(const Dims& shape, DType dtype, T* to) : shape_(shape), dtype_(dtype), to_(to) {}

  void fill(Object o, int dim = 0) {
    if (dim == shape_.n) {
      *to_++ = element<T>(o, dtype_);
      return;
    }
    check<TypeError>(is_sequence(o), "not a sequence");
    const Owned items = as_list(o);
    const int64_t n = size(object_of(items));
    check<ValueError>(n == shape_[dim], "expected sequence of length {} at dim {} (got {})", shape_[dim], dim,
                      n);
    for (int64_t i = 0; i < n; ++i) {
      check<ValueError>(i < size(object_of(items)), "the sequence became shorter while it was read");
      const Owned part = as_owned(as_result(item(object_of(items), i)));
      fill(object_of(part), dim + 1);
    }
  }

 private:
  const Dims& shape_;
  DType dtype_;
  T* to_;
};

}  // namespace

Tensor from_values(Object o, const FromValuesOptions& options) {
  check<TypeError>(!is_text(o), "new(): invalid data type '{}'", class_text(o));
  const NoGrad plain;
  const auto wanted = [&](DType t) {
    return options.dtype ? *options.dtype : options.indices && t != boolean ? int64 : t;
  };
  if (const Tensor* x = as_tensor(o)) {
    const DType t = wanted(x->dtype());
    return x->dtype() == t ? clone(*x) : to(*x, t);
  }
  if (const Tensor y = copied_array(o, options.dtype)) return to(y, default_device);
  Dims shape;
  for (const int64_t size : sizes_of(o)) shape.push(size);
  const Tensor y = empty(shape, wanted(options.dtype ? *options.dtype : inferred(o)), kCpu);
  every_type(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (shape.n == 0 || shape.numel() > 0) Filler<T>(shape, y.dtype(), y.raw().as<T>()).fill(o);
  });
  if (default_device == kCpu) return y;
  const Watch nobody(nullptr);  // no trace of the copy: the tensor counts as made there
  return to(y, default_device);
}

}  // namespace glassgrad::GG_HOST
