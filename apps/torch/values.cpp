// torch.tensor: numbers and nested sequences as a tensor.
#include "indexing.h"

namespace glassgrad::GG_HOST {
namespace {

constexpr size_t kMostNested = 128;  // deeper is no data

// The sizes along the first items.
std::vector<int64_t> sizes_of(Object values) {
  std::vector<int64_t> sizes;
  for (Kept at = kept(again(values)); is_sequence(object_of(at));) {
    sizes.push_back(length(object_of(at)));
    check<ValueError>(sizes.size() <= kMostNested, "too many dimensions '{}'", class_text(object_of(at)));
    if (sizes.back() == 0) break;
    at = part_of(object_of(at), 0);
  }
  return sizes;
}

// The widest dtype among all values; a float has the default one.
DType inferred(Object o, size_t depth = 0) {
  check<ValueError>(depth <= kMostNested, "too many dimensions '{}'", class_text(o));
  if (const std::optional<DType> t = own_dtype(o)) return *t;
  check<TypeError>(!is_text(o), "new(): invalid data type '{}'", class_text(o));
  check(is_sequence(o), "Could not infer dtype of {}", class_text(o));
  const int64_t n = length(o);
  DType widest = n ? boolean : default_dtype();
  for (int64_t i = 0; i < n; ++i) {
    const Kept part = part_of(o, i);
    check<TypeError>(!same_object(object_of(part), o), "new(): self-referential lists are incompatible");
    widest = std::max(widest, inferred(object_of(part), depth + 1));
  }
  return widest;
}

// ---- one number
template <class T>
T element(Object o) {
  const Tensor* x = as_tensor(o);
  check<ValueError>(!x || x->numel() == 1, "only one element tensors can be converted to Python scalars");
  if constexpr (std::is_same_v<T, bool>) {
    return to_bool(o);
  } else if constexpr (std::is_same_v<T, int64_t>) {
    if (!is_plain_float(o)) return to_int(o);
    const double value = to_float(o);  // is cut off, as in PyTorch
    check(value >= -0x1p63 && value < 0x1p63, "value cannot be converted to type int64 without overflow");
    return int64_t(value);
  } else {
    return T(to_float(o));
  }
}

template <class T>
class Filler {
 public:
  Filler(const Dims& shape, T* to) : shape_(shape), to_(to) {}

  void fill(Object o, int dim = 0) {
    if (dim == shape_.n) {
      *to_++ = element<T>(o);
      return;
    }
    check<TypeError>(is_sequence(o), "not a sequence");
    const Kept items = as_list(o);
    const int64_t n = size(object_of(items));
    check<ValueError>(n == shape_[dim], "expected sequence of length {} at dim {} (got {})", shape_[dim], dim,
                      n);
    for (int64_t i = 0; i < n; ++i) {
      check<ValueError>(i < size(object_of(items)), "the sequence became shorter while it was read");
      const Kept part = kept(again(item(object_of(items), i)));
      fill(object_of(part), dim + 1);
    }
  }

 private:
  const Dims& shape_;
  T* to_;
};

}  // namespace

Tensor from_values(Object o, const ValuesOptions& options) {
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
  all_types(y.dtype(), [&](auto zero) {
    using T = decltype(zero);
    if (shape.n == 0 || shape.numel() > 0) Filler<T>(shape, y.raw().as<T>()).fill(o);
  });
  if (default_device == kCpu) return y;
  const Watch nobody(nullptr);  // it is made there: no call has computed it
  return to(y, default_device);
}

}  // namespace glassgrad::GG_HOST
