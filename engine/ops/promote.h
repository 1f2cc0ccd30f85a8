// Common shape, dtype and device of operands, and the loop over them.
#pragma once
#include <span>

#include "../tensor.h"
#include "kernels.h"

namespace glassgrad {

using Operands = std::span<const Tensor* const>;

// The shape that a and b broadcast to. Throws Error `The size of tensor a (3) must match the size of tensor b
// (4) at non-singleton dimension 0`.
Dims broadcast(const Dims& a, const Dims& b);
Dims broadcast(Operands operands);

// torch.promote_types: the smallest dtype of the higher category of the two that holds both dtypes' numbers.
DType promoted(DType a, DType b);
// torch.result_type: the widest dtype; 0-d tensors, and after them numbers, count only if they are of a
// higher category. A float number counts as float32 beside tensors; numbers alone keep their dtypes.
DType result_type(Operands operands);

// An uninitialised result. Its memory order is the operands': for each two dimensions, the first operand that
// orders them decides. The result is a number if all operands are.
Tensor new_result(const Dims& shape, DType dtype, Operands operands);

// The device of a result of these operands: numbers and 0-d tensors of the CPU work with every device.
Device device_of(Operands operands);
// Throws Error `Expected all tensors to be on the same device, but found at least two devices, cuda:0 and
// cpu!`. Undefined tensors are skipped, except the first, which must be defined.
[[noreturn]] void fail_on_two_devices(Device first, Device second);
inline void check_same_device(Device device, const Tensor& x) {
  if (x.device() != device) [[unlikely]]
    fail_on_two_devices(device, x.device());
}
inline void check_same_device(std::initializer_list<const Tensor*> tensors) {
  for (const Tensor* x : tensors)
    if (*x) check_same_device((*tensors.begin())->device(), *x);
}

// Throws Error `result type Float can't be cast to the desired output type Long` if an in-place op may not
// write a result of this dtype to x.
void check_castable(DType result, const Tensor& x);
// Can a number be converted to this dtype by rounding or truncation? whole: it is an integer; an unsigned
// dtype then takes negative numbers as well.
bool number_fits(double number, bool whole, DType dtype);
bool is_unsigned(DType dtype);
double greatest(DType dtype);      // the greatest finite element
double epsilon(DType dtype);       // for a float: the distance from 1 to the next number
double least_normal(DType dtype);  // the smallest normal float
// Throws Error `value cannot be converted to type int64_t without overflow` if a number to be written does
// not fit.
void check_number_fits(const Tensor& value, DType dtype);
// Check an in-place op on x whose operands broadcast to `shape`. Throw if x would have to grow;
// check_writable also if the op would write an element of x more than once.
void check_shape(const Tensor& x, const Dims& shape);
void check_writable(const Tensor& x, const Dims& shape);
// Throws Error `unsupported operation: some elements of the input tensor and the written-to tensor refer to a
// single memory location. …` where PyTorch detects that an indexed write to x would change the operand.
void check_apart(const Tensor& x, const Tensor& operand);
// Returns the operand of an in-place op, or a copy if writing x would change it. Throws Error `unsupported
// operation: some elements of the input tensor and the written-to tensor refer to a single memory location.
// …` where PyTorch does.
Tensor copy_if_overlapping(const Tensor& x, const Tensor& operand);
bool shares_memory(const Tensor& a, const Tensor& b);

// x's values in that dtype, always a copy, in x's memory order; not recorded, not a number.
Tensor converted(const Tensor& x, DType dtype);
// x, or a copy in the compute dtype if x is narrow; not recorded.
inline Tensor widened(const Tensor& x) {
  return is_narrow(x.dtype()) ? converted(x, computed_in(x.dtype())) : x;
}
// y[…] = x[…], broadcast, converted and, from another device, copied; not recorded.
void assign(const Tensor& y, const Tensor& x);

// x on that device: x itself, or a copy in the same memory order; not recorded.
Tensor on_device(const Tensor& x, Device device);

// One pointwise loop on the result's device. Add the operands in the kernel's order; they are read as dtype
// t, or as its compute dtype if t is narrow. A narrow result is rounded or truncated once, at the end. y and
// the operands must outlive the loop. A single number on the CPU works with every device; other operands
// throw Error `Expected all tensors to be on the same device, …`.
class Loop {
 public:
  Loop(const Tensor& y, DType t);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  void add(const Tensor& x);
  void add_as_is(const Tensor& x);  // in its own dtype
  void add_number(double value);
  void skip();  // an operand whose values the kernel does not read
  // choose(table): returns the kernel from either device's PointwiseTable.
  template <class Choose>
  void run(Choose choose) {
    const std::span<const Operand> operands(operands_, size_t(count_));
    if (device_ == kCpu) [[likely]]
      run_loop(choose(kernels().pointwise), operands);
    else if (device_ != kMeta)
      run_on_gpu(choose(gpu_loops()), operands);
    if (narrow_) [[unlikely]]
      assign(*narrow_, held_[0]);
  }

 private:
  void run_on_gpu(GpuLoop kernel, std::span<const Operand> operands) const;
  void add_number_of(const Tensor& x);  // one number on the CPU, in the loop's dtype

  Operand operands_[kMaxOperands];
  int count_ = 0;
  DType dtype_;
  Device device_;
  const Tensor* narrow_ = nullptr;  // the result, if it is narrow
  alignas(8) char numbers_[kMaxOperands][8];
  Tensor held_[kMaxOperands];
};

// ---- kernels of narrow tensors
// Says where a kernel reads and writes narrow numbers itself: NativeOnGpu for halves on a GPU, NativeOnCpu
// for all narrow dtypes on the CPU. Such operands are not converted.
enum class NarrowAccess : uint8_t { Widened, NativeOnGpu, NativeOnCpu };

// An input of a kernel, of any dtype. A narrow tensor is widened into memory that lives as long as this
// object.
class WidenedInput {
 public:
  WidenedInput(const View& x, Device device, NarrowAccess access = NarrowAccess::Widened)
      : view_(x), device_(device) {
    if (is_widened(access)) [[unlikely]]
      widen(true);
  }
  explicit WidenedInput(const Tensor& x, NarrowAccess access = NarrowAccess::Widened)
      : WidenedInput(x.raw(), x.device(), access) {}
  WidenedInput(const WidenedInput&) = delete;
  WidenedInput& operator=(const WidenedInput&) = delete;
  operator const View&() const { return view_; }

 protected:
  enum class Unread {};
  WidenedInput(const View& y, Device device, NarrowAccess access, Unread) : view_(y), device_(device) {
    if (is_widened(access)) [[unlikely]]
      widen(false);
  }
  bool is_widened(NarrowAccess access) const {
    if (!is_narrow(view_.dtype)) [[likely]]
      return false;
    return device_ == kCpu ? access != NarrowAccess::NativeOnCpu
                           : access != NarrowAccess::NativeOnGpu || !is_floating(view_.dtype);
  }
  void widen(bool read);
  View view_;
  Device device_;
  Tensor memory_;  // the widened numbers
};

// An output of a kernel: for a narrow tensor, wide numbers. The kernel of kernel_for() rounds or truncates
// them when it has run; other functions that are given one need write_back() afterwards.
class RoundedOutput : public WidenedInput {
 public:
  RoundedOutput(const View& y, Device device, NarrowAccess access = NarrowAccess::Widened)
      : WidenedInput(y, device, access, Unread()), narrow_(y) {}
  explicit RoundedOutput(const Tensor& y, NarrowAccess access = NarrowAccess::Widened)
      : RoundedOutput(y.raw(), y.device(), access) {}
  void write_back() {
    if (memory_) [[unlikely]]
      round();
  }

 protected:
  struct Read {};
  RoundedOutput(const View& y, Device device, NarrowAccess access, Read)
      : WidenedInput(y, device, access), narrow_(y) {}

 private:
  void round();
  View narrow_;
};
// The same for a kernel that adds to the output's contents.
class RoundedAccumulator : public RoundedOutput {
 public:
  RoundedAccumulator(const View& y, Device device, NarrowAccess access = NarrowAccess::Widened)
      : RoundedOutput(y, device, access, Read()) {}
};

}  // namespace glassgrad
