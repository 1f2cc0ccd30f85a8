#include "promote.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "../core/default_float64.h"
#include "layout.h"

namespace glassgrad {

// ---- shapes
Dims broadcast(const Dims& a, const Dims& b) {
  if (a == b) return a;
  Dims shape = a.n >= b.n ? a : b;
  for (int d = shape.n - 1; d >= 0; --d) {
    const int i = d - (shape.n - a.n), j = d - (shape.n - b.n);
    const int64_t x = i < 0 ? 1 : a[i], y = j < 0 ? 1 : b[j];
    check(x == y || x == 1 || y == 1,
          "The size of tensor a ({}) must match the size of tensor b ({}) at non-singleton dimension {}", x,
          y, d);
    shape[d] = x == 1 ? y : x;
  }
  check_countable(shape);
  return shape;
}

Dims broadcast(Operands operands) {
  Dims shape = operands[0]->shape();
  for (const Tensor* x : operands.subspan(1)) shape = broadcast(shape, x->shape());
  return shape;
}

// ---- dtypes
namespace {

int category(DType t) { return t == boolean ? 0 : is_integer(t) ? 1 : 2; }

}  // namespace

DType promoted(DType a, DType b) {
  if (category(a) != category(b)) return category(a) > category(b) ? a : b;
  if (a == b || item_size(a) != item_size(b)) return item_size(a) >= item_size(b) ? a : b;
  if (is_floating(a)) return float32;                                                // float16 with bfloat16
  return *std::find_if(std::begin(kAllDTypes), std::end(kAllDTypes), [&](DType t) {  // uint8 with int8
    return is_integer(t) && !is_unsigned(t) && item_size(t) == 2 * item_size(a);
  });
}

namespace {

// The promoted dtype of the operands of one rank (tensors, 0-d tensors, numbers), if there are any.
struct Widest {
  bool any = false;
  DType dtype = boolean;
  void add(DType t) {
    dtype = any ? promoted(dtype, t) : t;
    any = true;
  }
  // Combines with the operands of a lower rank, which count only if their category is higher.
  Widest over(Widest lower) const {
    return !any || (lower.any && category(lower.dtype) > category(dtype)) ? lower : *this;
  }
};

}  // namespace

DType result_type(Operands operands) {
  Widest with_dims, zero_dim, numbers, numbers_alone;
  for (const Tensor* x : operands) {
    const DType t = x->dtype();
    if ((*x)->is_number) {
      numbers_alone.add(t);
      numbers.add(t == float64 ? scope_dtype(float32) : t);
    } else {
      (x->dim() > 0 ? with_dims : zero_dim).add(t);
    }
  }
  if (!with_dims.any && !zero_dim.any) return numbers_alone.dtype;
  return with_dims.over(zero_dim.over(numbers)).dtype;
}

void check_castable(DType result, const Tensor& x) {
  check(category(result) <= category(x.dtype()), "result type {} can't be cast to the desired output type {}",
        scalar_type_name(result), scalar_type_name(x.dtype()));
}

// ---- results
namespace {

// Are all operands contiguous or single numbers, so that the result is contiguous too?
bool all_contiguous(const Dims& shape, Operands operands) {
  return std::all_of(operands.begin(), operands.end(), [&](const Tensor* x) {
    return x->shape() == shape ? x->is_contiguous() : x->numel() == 1;
  });
}

// Unlike broadcast_strides, keeps the stride of a dimension that is 1 on both sides: that stride affects the
// memory order.
Dims stretched_strides(const Tensor& x, const Dims& shape) {
  Dims strides = shape;
  for (int d = 0; d < shape.n; ++d) {
    const int own = d - (shape.n - int(x.dim()));
    strides[d] = own < 0 || (x.shape()[own] == 1 && shape[d] != 1) ? 0 : x.strides()[own];
  }
  return strides;
}

Dims result_strides(const Dims& shape, Operands operands) {
  const Tensor& first = *operands[0];
  const bool alike = std::all_of(operands.begin(), operands.end(), [&](const Tensor* x) {
    return x->shape() == shape && x->strides() == first.strides();
  });
  if (alike && is_dense(shape, first.strides())) return first.strides();

  Dims strides[kMaxOperands];
  for (size_t k = 0; k < operands.size(); ++k) strides[k] = stretched_strides(*operands[k], shape);
  Dims result = shape;
  int64_t step = 1;
  for (int64_t d : memory_order(shape, std::span<const Dims>(strides, operands.size()))) {
    result[d] = step;
    step *= std::max<int64_t>(shape[d], 1);
  }
  return result;
}

void* data_of(const Tensor& x) {
  return static_cast<char*>(x->storage->data) + x->offset * item_size(x->dtype);
}

}  // namespace

Device device_of(Operands operands) {
  const auto on_cpu = [](const Tensor* x) { return x->device() == kCpu; };
  if (std::all_of(operands.begin(), operands.end(), on_cpu)) [[likely]]
    return kCpu;
  for (const Tensor* x : operands)
    if (x->device() != kCpu && x->dim() > 0) return x->device();
  for (const Tensor* x : operands)
    if (x->device() != kCpu && !(*x)->is_number) return x->device();
  return kCpu;
}

Tensor new_result(const Dims& shape, DType dtype, Operands operands) {
  const Device device = device_of(operands);
  Tensor y = all_contiguous(shape, operands)
                 ? empty_contiguous(shape, dtype, device)
                 : empty_strided(shape, result_strides(shape, operands), dtype, device);
  y->is_number =
      std::all_of(operands.begin(), operands.end(), [](const Tensor* x) { return (*x)->is_number; });
  return y;
}

// ---- devices
void fail_on_two_devices(Device first, Device second) {
  check(first != kMeta && second != kMeta, "Tensor on device {} is not on the expected device {}!",
        to_string(second), to_string(first));
  fail("Expected all tensors to be on the same device, but found at least two devices, {} and {}!",
       to_string(first), to_string(second));
}

// ---- memory that is written
namespace {

struct Range {
  const char* type;  // its name in errors
  double lowest, greatest;
  int digits;
  double least;
};
constexpr Range kRanges[] = {
#define DTYPE(dtype, T, name, scalar_type, cpp_type, type, npy, safetensors, ...) {type, __VA_ARGS__},
#include "../core/dtypes.def"
};

}  // namespace

bool number_fits(double number, bool whole, DType dtype) {
  const Range& range = kRanges[int(dtype)];
  if (dtype == boolean || (whole && dtype == int64)) return true;
  if (is_floating(dtype) && !std::isfinite(number)) return true;
  return number >= (whole && is_unsigned(dtype) ? -range.greatest : range.lowest) && number <= range.greatest;
}

double greatest(DType dtype) { return kRanges[int(dtype)].greatest; }

bool is_unsigned(DType dtype) { return dtype != boolean && kRanges[int(dtype)].lowest == 0; }

double epsilon(DType dtype) { return std::ldexp(1.0, 1 - kRanges[int(dtype)].digits); }
double least_normal(DType dtype) { return kRanges[int(dtype)].least; }

void check_number_fits(const Tensor& value, DType dtype) {
  if (!is_narrow(dtype) && (!is_floating(value.dtype()) || dtype == boolean)) return;
  check(number_fits(value.item(), !is_floating(value.dtype()), dtype),
        "value cannot be converted to type {} without overflow", kRanges[int(dtype)].type);
}

void check_writable(const Tensor& x, const Dims& shape) {
  check_no_overlap(x);
  check_shape(x, shape);
}

void check_shape(const Tensor& x, const Dims& shape) {
  check(x.shape() == shape, "output with shape {} doesn't match the broadcast shape {}", x.shape(), shape);
}

bool shares_memory(const Tensor& a, const Tensor& b) {
  const auto storage_ends_before = [](const Storage& x, const Storage& y) {
    return static_cast<char*>(x.data) + x.bytes <= y.data;
  };
  const Storage &first = *a->storage, &second = *b->storage;
  if (storage_ends_before(first, second) || storage_ends_before(second, first)) return false;
  const auto end = [](const Tensor& x) {
    return static_cast<char*>(data_of(x)) + extent(x.shape(), x.strides()) * item_size(x.dtype());
  };
  return a.numel() > 0 && b.numel() > 0 && data_of(a) < end(b) && data_of(b) < end(a);
}

namespace {

constexpr const char* kOneMemory =
    "unsupported operation: some elements of the input tensor and the written-to tensor refer to a single memory "
    "location. Please clone() the tensor before performing the operation.";

bool both_dense(const Tensor& a, const Tensor& b) {
  return is_dense(a.shape(), a.strides()) && is_dense(b.shape(), b.strides());
}

}  // namespace

void check_apart(const Tensor& x, const Tensor& operand) {
  if (x.ref() == operand.ref() || (shares_memory(x, operand) && both_dense(x, operand)))
    fail("{}", kOneMemory);
}

Tensor copy_if_overlapping(const Tensor& x, const Tensor& operand) {
  if (x.ref() == operand.ref() || !shares_memory(x, operand)) return operand;
  const bool same =
      data_of(x) == data_of(operand) && x.shape() == operand.shape() && x.strides() == operand.strides();
  if (same && x.dtype() == operand.dtype()) return operand;
  check(!both_dense(x, operand), kOneMemory);
  return converted(operand, operand.dtype());
}

// ---- loops
Loop::Loop(const Tensor& y, DType t) : dtype_(computed_in(t)), device_(y.device()) {
  if (is_narrow(y.dtype()) && device_ == kCpu) [[unlikely]] {
    narrow_ = &y;
    held_[0] = empty_strided(y.shape(), dense_strides(y.shape(), y.strides()), computed_in(y.dtype()));
  }
  add_as_is(narrow_ ? held_[0] : y);
}

void Loop::add_as_is(const Tensor& x) {
  const bool is_number = device_ != kCpu && x.device() == kCpu && x.dim() == 0;
  if (!is_number) check_same_device(device_, x);
  operands_[count_++] = {data_of(x), &x.shape(), &x.strides(), x.dtype(), is_number};
}

void Loop::add(const Tensor& x) {
  if (x.dtype() == dtype_) return add_as_is(x);
  if (x.numel() == 1 && x.device() == kCpu && !is_narrow(x.dtype()) && (device_ == kCpu || x.dim() == 0))
    return add_number_of(x);
  const bool narrow_there = device_ != kCpu && x.device() == device_ && computed_in(x.dtype()) == dtype_;
  held_[count_] = narrow_there ? x : converted(x, dtype_);
  add_as_is(held_[count_]);
}

void Loop::add_number_of(const Tensor& x) {
  const void* from = data_of(x);
  const int64_t step = 0;
  void* to = numbers_[count_];
  kernels().pointwise.convert[int(x.dtype())][int(dtype_)](1, to, 0, &from, &step);
  operands_[count_++] = {to, &x.shape(), &x.strides(), dtype_, true};
}

void Loop::run_on_gpu(GpuLoop kernel, std::span<const Operand> operands) const {
  gpu::use(device_.index);
  for (const Operand& x : operands) gpu::add_work({.bytes = bytes_of(x)});
  kernel(operands);
}

void Loop::add_number(double value) {
  static constexpr Dims kNone;
  if (dtype_ == int64 && value >= 0x1p63)
    value = 0x1p63 - 1024;  // use the largest number that both types hold as the bound
  const void* from = &value;
  const int64_t step = 0;
  void* to = numbers_[count_];
  kernels().pointwise.convert[int(float64)][int(dtype_)](1, to, 0, &from, &step);
  operands_[count_++] = {to, &kNone, &kNone, dtype_, true};
}

void Loop::skip() { operands_[count_++] = {}; }

Tensor converted(const Tensor& x, DType dtype) {
  Tensor y = empty_strided(x.shape(), dense_strides(x.shape(), x.strides()), dtype, x.device());
  assign(y, x);
  return y;
}

namespace {

// Assigns from a different device: converts and packs on x's device, copies the bytes, unpacks on y's device.
void assign_across(const Tensor& y, const Tensor& x) {
  if (y.device() == kMeta) return;
  const bool alike = x.dtype() == y.dtype() && x.shape() == y.shape() && x.strides() == y.strides();
  if (alike && is_dense(x.shape(), x.strides()))
    return copy_bytes(data_of(y), y.device(), data_of(x), x.device(),
                      size_t(x.numel() * item_size(x.dtype())));
  const Dims strides = contiguous_strides(y.shape());
  const Tensor packed = empty_strided(y.shape(), strides, y.dtype(), x.device());
  assign(packed, x);
  const Tensor moved = empty_strided(y.shape(), strides, y.dtype(), y.device());
  assign_across(moved, packed);
  assign(y, moved);
}

// y[…] = x[…], both on that device. On a GPU, one kernel converts between any two dtypes.
void convert(Device device, const View& y, const View& x) {
  const Operand operands[] = {{y.data, &y.shape, &y.strides, y.dtype},
                              {x.data, &x.shape, &x.strides, x.dtype}};
  if (device == kCpu) return run_loop(kernels().pointwise.conversion(x.dtype, y.dtype), operands);
  if (device == kMeta) return;
  gpu::use(device.index);
  gpu_loops().convert[int(computed_in(x.dtype))][int(computed_in(y.dtype))](
      std::span<const Operand>(operands));
}

// Assigns if x or y is narrow. The CPU converts narrow to narrow through the compute dtype.
void assign_narrow(const Tensor& y, const Tensor& x) {
  if (x.device() == y.device() &&
      (y.device() != kCpu || kernels().pointwise.conversion(x.dtype(), y.dtype())))
    return convert(y.device(), y.raw(), x.raw());
  assign(y, converted(x, computed_in(is_narrow(x.dtype()) ? x.dtype() : y.dtype())));
}

}  // namespace

void assign(const Tensor& y, const Tensor& x) {
  const bool is_number = x.device() == kCpu && x.dim() == 0;  // works with every device
  if (y.device() != x.device() && !is_number) return assign_across(y, x);
  if (is_narrow(x.dtype()) || (is_narrow(y.dtype()) && y.device() == kCpu)) [[unlikely]]
    return assign_narrow(y, x);
  Loop loop(y, x.dtype());
  loop.add_as_is(x);
  loop.run([&](const auto& table) { return table.convert[int(x.dtype())][int(computed_in(y.dtype()))]; });
}

Tensor on_device(const Tensor& x, Device device) {
  if (x.device() == device) [[likely]]
    return x;
  const Tensor y = empty_strided(x.shape(), dense_strides(x.shape(), x.strides()), x.dtype(), device);
  assign(y, x);
  return y;
}

void add_unrecorded_(const Tensor& y, const Tensor& x) {
  Loop loop(y, y.dtype());
  loop.add(x);
  loop.add(y);
  loop.run([&](const auto& t) { return t.rows[int(PointwiseId::add)].value[int(computed_in(y.dtype()))]; });
}

// ---- kernels of narrow tensors
namespace {

// Reduces dimensions of stride 0, which repeat their elements, to size 1. In a result (`written`) even a size
// of 0 becomes 1: the sum over no elements is written too.
View distinct(View x, bool written) {
  for (int d = 0; d < x.shape.n; ++d)
    if (x.strides[d] == 0 && (written || x.shape[d] > 1)) x.shape[d] = 1;
  return x;
}

}  // namespace

void WidenedInput::widen(bool read) {
  const View narrow = distinct(view_, !read);
  const Dims packed = dense_strides(narrow.shape, narrow.strides);
  memory_ = empty_strided(narrow.shape, packed, computed_in(narrow.dtype), device_);
  if (read) convert(device_, memory_.raw(), narrow);
  view_.data = memory_.raw().data;
  view_.dtype = memory_.dtype();
  for (int d = 0; d < packed.n; ++d)
    if (view_.strides[d] != 0) view_.strides[d] = packed[d];
}

void RoundedOutput::round() { convert(device_, distinct(narrow_, true), memory_.raw()); }

}  // namespace glassgrad
