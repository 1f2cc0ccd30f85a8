// What operands of different shapes and dtypes have in common, and the loop over them.
#pragma once
#include <span>

#include "../tensor.h"
#include "kernels.h"

namespace glassgrad {

using Operands = std::span<const Tensor* const>;

// The shape that both broadcast to. Error `The size of tensor a (3) must match the size of tensor b (4) at
// non-singleton dimension 0`.
Dims broadcast(const Dims& a, const Dims& b);
Dims broadcast(Operands operands);

// torch.promote_types: the smallest dtype of the higher category of the two that holds both dtypes' numbers.
DType promoted(DType a, DType b);
// torch.result_type: the widest dtype; 0-d tensors, and behind them numbers, count only where they are of a
// higher category. A float number counts as float32 beside tensors, numbers alone keep their dtypes.
DType result_type(Operands operands);

// An uninitialised result. Its memory order is that of the operands, the first one that has an opinion
// deciding; a number if they all are.
Tensor new_result(const Dims& shape, DType dtype, Operands operands);

// Where a result of these is computed: numbers and 0-d tensors of the CPU go with every device.
Device device_of(Operands operands);
// Error `Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!`;
// undefined tensors are passed over, the first is not.
[[noreturn]] void fail_on_two_devices(Device first, Device second);
inline void check_same_device(Device device, const Tensor& x) {
  if (x.device() != device) [[unlikely]]
    fail_on_two_devices(device, x.device());
}
inline void check_same_device(std::initializer_list<const Tensor*> tensors) {
  for (const Tensor* x : tensors)
    if (*x) check_same_device((*tensors.begin())->device(), *x);
}

// Is x = (a result of this dtype) allowed? Error `result type Float can't be cast to the desired output type
// Long`.
void check_castable(DType result, const Tensor& x);
// Is there an element of this dtype that a number may become, rounded or cut? whole: it is an integer, of
// which an unsigned dtype takes the negative ones as well.
bool number_fits(double number, bool whole, DType dtype);
bool is_unsigned(DType dtype);
double greatest(DType dtype);      // of its elements that are finite
double epsilon(DType dtype);       // of a float: from 1 to the next one
double least_normal(DType dtype);  // the least float with all digits
// Does a number that is about to be written fit? Error `value cannot be converted to type int64_t without
// overflow`.
void check_number_fits(const Tensor& value, DType dtype);
// Errors for an in-place op on x whose operands broadcast to `shape`: one that would have to grow x, and, of
// the second function, one that writes an element of x several times.
void check_shape(const Tensor& x, const Dims& shape);
void check_writable(const Tensor& x, const Dims& shape);
// Error `unsupported operation: some elements of the input tensor and the written-to tensor refer to a single
// memory location. …` where PyTorch sees that a write to x by places would change the operand on the way.
void check_apart(const Tensor& x, const Tensor& operand);
// An operand of an in-place op as the op may read it: a copy where writing x would change it on the way.
// Error `unsupported operation: some elements of the input tensor and the written-to tensor refer to a single
// memory location. …` where PyTorch has it.
Tensor readable_beside(const Tensor& x, const Tensor& operand);
bool shares_memory(const Tensor& a, const Tensor& b);

// x's values under another dtype or the same, in x's memory order; not recorded, not a number.
Tensor converted(const Tensor& x, DType dtype);
// x, or of a narrow one its numbers in what they are computed in; not recorded.
inline Tensor widened(const Tensor& x) {
  return is_narrow(x.dtype()) ? converted(x, computed_in(x.dtype())) : x;
}
// y[…] = x[…], broadcast, converted and, from another device, moved; not recorded.
void assign(const Tensor& y, const Tensor& x);

// x on that device: itself, or a copy in the same memory order; not recorded.
Tensor on_device(const Tensor& x, Device device);

// One loop on the result's device: the result, then the operands in the kernel's order, read as dtype `t`, or
// what that is computed in: a narrow result is rounded, or cut, once at the end. y and the operands outlive
// it. An operand that is one number on the CPU goes with every device; Error `Expected all tensors to be on
// the same device, …` for others.
class Loop {
 public:
  Loop(const Tensor& y, DType t);
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;
  void add(const Tensor& x);
  void add_as_is(const Tensor& x);  // in its own dtype
  void add_number(double value);
  void skip();  // an operand whose values the kernel does not read
  // choose(table): its kernel in a PointwiseTable of either device.
  template <class Choose>
  void run(Choose choose) {
    const std::span<const Operand> operands(operands_, size_t(count_));
    if (device_ == kCpu) [[likely]]
      run_loop(choose(kernels().pointwise), operands);
    else
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
// Kernels that read and write narrow numbers themselves name where: a GPU's do so of halves alone, the CPU's
// of all. Their operands stay as they are there.
enum class Halves : uint8_t { Widened, AsTheyAreOnGpu, AsTheyAreOnCpu };

// What a kernel reads of a tensor of any dtype, as an argument of the call: of a narrow one its numbers,
// widened, in memory that lives as long as the argument.
class Wide {
 public:
  Wide(const View& x, Device device, Halves halves = Halves::Widened) : view_(x), device_(device) {
    if (is_widened(halves)) [[unlikely]]
      widen(true);
  }
  explicit Wide(const Tensor& x, Halves halves = Halves::Widened) : Wide(x.raw(), x.device(), halves) {}
  Wide(const Wide&) = delete;
  Wide& operator=(const Wide&) = delete;
  operator const View&() const { return view_; }

 protected:
  enum class Unread {};
  Wide(const View& y, Device device, Halves halves, Unread) : view_(y), device_(device) {
    if (is_widened(halves)) [[unlikely]]
      widen(false);
  }
  bool is_widened(Halves halves) const {
    if (!is_narrow(view_.dtype)) [[likely]]
      return false;
    return device_ == kCpu ? halves != Halves::AsTheyAreOnCpu
                           : halves != Halves::AsTheyAreOnGpu || !is_floating(view_.dtype);
  }
  void widen(bool read);
  View view_;
  Device device_;
  Tensor memory_;  // of the widened numbers
};

// What a kernel writes: into a narrow tensor by way of wide numbers, which are rounded, or cut, when the call
// is over.
class Rounded : public Wide {
 public:
  Rounded(const View& y, Device device, Halves halves = Halves::Widened)
      : Wide(y, device, halves, Unread()), narrow_(y) {}
  explicit Rounded(const Tensor& y, Halves halves = Halves::Widened) : Rounded(y.raw(), y.device(), halves) {}
  ~Rounded() {
    if (memory_) [[unlikely]]
      round();
  }

 protected:
  struct Read {};
  Rounded(const View& y, Device device, Halves halves, Read) : Wide(y, device, halves), narrow_(y) {}

 private:
  void round();
  View narrow_;
};
// The same of a kernel that adds to what is there.
class Added : public Rounded {
 public:
  Added(const View& y, Device device, Halves halves = Halves::Widened) : Rounded(y, device, halves, Read()) {}
};

}  // namespace glassgrad
