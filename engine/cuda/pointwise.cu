// The loops of the pointwise ops on a GPU: every row of numbers/pointwise.def, its value and its gradients,
// for every dtype it takes; select and convert.
#include "../numbers/formulas.h"
#include "kernels.h"
#include "launch.h"
#include "mma.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

// ---- a loop as an argument of its kernel
struct Arguments {
  int64_t n;
  LoopNest nest;
  char* data[kMaxOperands];
  DType dtype[kMaxOperands];                // in memory
  alignas(8) char number[kMaxOperands][8];  // values of the operands that are numbers
  unsigned numbers;                         // bit k: operand k is a number
  bool packed;                              // all others are contiguous, at multiples of 16 bytes
};

Arguments arguments_of(std::span<const Operand> operands) {
  Arguments a{};
  a.n = operands[0].shape->numel();
  a.nest = nest_of(operands);
  a.packed = a.nest.dims <= 1;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Operand& x = operands[k];
    a.data[k] = static_cast<char*>(x.data);
    a.dtype[k] = x.dtype;
    if (x.is_number) {
      __builtin_memcpy(a.number[k], x.data, size_t(item_size(x.dtype)));
      a.numbers |= 1u << k;
    } else if (x.data) {
      const bool side_by_side = a.nest.dims == 0 || a.nest.step[0][k] == 1;
      a.packed = a.packed && side_by_side && reinterpret_cast<uintptr_t>(x.data) % 16 == 0;
    }
  }
  return a;
}

// How many numbers are read and written at once: F::kPack, if F has it.
template <class F>
inline constexpr int kPackOf = 4;
template <class F>
requires(F::kPack > 0) inline constexpr int kPackOf<F> = F::kPack;
template <class T, int count>
struct alignas(sizeof(T) * count < 16 ? sizeof(T) * count : 16) Pack {
  T v[count];
};

template <class... T>
struct List {};

// Calls f with a value of the operand's type in memory: T, or a narrow type that is computed as T.
template <class T, class F>
__device__ __forceinline__ void in_memory(DType t, F f) {
#define NARROW_INTEGER(dtype, S, ...)         \
  if constexpr (std::is_same_v<T, int64_t>) { \
    if (t == DType(dtype)) return f(S{});     \
  }
#define NARROW_FLOAT(dtype, S, ...)         \
  if constexpr (std::is_same_v<T, float>) { \
    if (t == DType(dtype)) return f(S{});   \
  }
#define WIDE(...)
#include "../core/dtypes.def"
  f(T{});
}

template <class T>
__device__ T number_of(const Arguments& a, int k) {
  T v;
  memcpy(&v, a.number[k], sizeof v);
  return v;
}
// Reads operand k at a place; 0 if the formula does not use it.
template <class F, int k, class T>
__device__ T read(const Arguments& a, int64_t place) {
  if constexpr (!has(F::kUsed, k - 1)) return T(0);
  if (a.numbers >> k & 1) return number_of<T>(a, k);
  T v;
  in_memory<T>(a.dtype[k],
               [&](auto narrow) { v = T(reinterpret_cast<const decltype(narrow)*>(a.data[k])[place]); });
  return v;
}
template <class F, int k, class T>
__device__ Pack<T, kPackOf<F>> read_pack(const Arguments& a, int64_t i) {
  constexpr int kPack = kPackOf<F>;
  Pack<T, kPack> p;
  if (has(F::kUsed, k - 1) && !(a.numbers >> k & 1)) {
    in_memory<T>(a.dtype[k], [&](auto narrow) {
      const auto read = reinterpret_cast<const Pack<decltype(narrow), kPack>*>(a.data[k])[i];
      for (int j = 0; j < kPack; ++j) p.v[j] = T(read.v[j]);
    });
    return p;
  }
  for (T& v : p.v) v = has(F::kUsed, k - 1) ? number_of<T>(a, k) : T(0);
  return p;
}

// Computes R y = F(T x, …) for all elements. F has of(…) and kUsed, the operands that it reads.
template <class F, class R, class... T, size_t... I>
__device__ void run(const Arguments& a, List<T...>, Indices<I...>) {
  constexpr int kPack = kPackOf<F>;
  const int64_t packs = a.packed ? a.n / kPack : 0;
  for (int64_t i = first_of_thread(); i < packs; i += threads_of_grid()) {
    const auto apply = [&](const Pack<T, kPack>&... x) {
      R y[kPack];
      for (int j = 0; j < kPack; ++j) y[j] = F::of(x.v[j]...);
      in_memory<R>(a.dtype[0], [&](auto narrow) {
        using S = decltype(narrow);
        Pack<S, kPack> written;
        for (int j = 0; j < kPack; ++j) written.v[j] = S(y[j]);
        reinterpret_cast<Pack<S, kPack>*>(a.data[0])[i] = written;
      });
    };
    apply(read_pack<F, int(I) + 1, T>(a, i)...);
  }
  for (int64_t i = packs * kPack + first_of_thread(); i < a.n; i += threads_of_grid()) {
    const auto at = a.nest.at<sizeof...(T) + 1>(i);
    const R y = F::of(read<F, int(I) + 1, T>(a, at[I + 1])...);
    in_memory<R>(a.dtype[0], [&](auto narrow) {
      reinterpret_cast<decltype(narrow)*>(a.data[0])[at[0]] = decltype(narrow)(y);
    });
  }
}

template <class F, class R, class Inputs, class All>
__global__ void loop_kernel(Arguments a) {
  run<F, R>(a, Inputs(), All());
}

template <class F, class R, class... T>
void run_loop(std::span<const Operand> operands) {
  const Arguments a = arguments_of(operands);
  if (a.n == 0) return;
  using Kernel = void (*)(Arguments);
  const Kernel kernel = loop_kernel<F, R, List<T...>, std::make_index_sequence<sizeof...(T)>>;
  constexpr int kPack = kPackOf<F>;
  launch("pointwise", kernel, grid_of(a.packed ? a.n / kPack + kPack : a.n), a);
}

// ---- what is computed
template <class F, class T>
struct Formula {
  static constexpr unsigned kUsed = F::kUsed;
  template <class... X>
  __device__ static auto of(X... x) {
    return stored(F::of(ValueOf<T>(x)...));
  }
};
template <class T>
struct Select {
  static constexpr unsigned kUsed = 7;
  __device__ static T of(bool condition, T a, T b) { return condition ? a : b; }
};
template <class From, class To>
struct Convert {
  static constexpr unsigned kUsed = 1;
  __device__ static To of(From x) { return converted<To>(x); }
};

// A float whose functions are only as accurate as results in halves need. gelu spends most of its time in
// tanh.
struct FastFloat {
  float v;
  template <class N>
  __device__ explicit FastFloat(N number) : v(float(number)) {}
  __device__ friend FastFloat operator+(FastFloat a, FastFloat b) { return FastFloat(a.v + b.v); }
  __device__ friend FastFloat operator*(FastFloat a, FastFloat b) { return FastFloat(a.v * b.v); }
  __device__ friend FastFloat operator-(FastFloat a) { return FastFloat(-a.v); }
  __device__ friend FastFloat fma(FastFloat a, FastFloat b, FastFloat c) {
    return FastFloat(on_gpu::fma(a.v, b.v, c.v));
  }
  // 1 − 2/(1 + e^2x), within 2·10⁻⁷.
  __device__ friend FastFloat tanh(FastFloat x) {
    return FastFloat(1 - quick_quotient(2.0f, 1 + quick_exp2(x.v * 2.8853900817779268f)));
  }
};
template <class F>
struct FastFormula {
  static constexpr unsigned kUsed = F::kUsed;
  static constexpr int kPack = 8;  // 16 bytes of halves
  template <class... X>
  __device__ static float of(X... x) {
    return F::of(FastFloat(x)...).v;
  }
};
template <class F>
constexpr bool kHasFastFormula =
    std::is_same_v<F, gelu_tanh_row::value> || std::is_same_v<F, gelu_tanh_row::dx>;

template <size_t, class T>
using Always = T;
template <class F, class... T>
void run_formula(std::span<const Operand> operands) {
  if (is_narrow(operands[0].dtype)) return run_loop<FastFormula<F>, float, T...>(operands);
  run_loop<Formula<F, float>, float, T...>(operands);
}
template <class F, class R, class T, size_t... I>
constexpr LoopKernel formula_loop(Indices<I...>) {
  if constexpr (kHasFastFormula<F> && std::is_same_v<T, float>) return run_formula<F, Always<I, T>...>;
  return run_loop<Formula<F, T>, R, Always<I, T>...>;
}
struct Launches {
  template <class F, class R, class T>
  static constexpr LoopKernel formula() {
    return formula_loop<F, R, T>(std::make_index_sequence<F::kOperands>());
  }
  template <class T>
  static constexpr LoopKernel select() {
    return run_loop<Select<T>, T, bool, T, T>;
  }
  template <class From, class To>
  static constexpr LoopKernel convert() {
    return run_loop<Convert<From, To>, To, From>;
  }
};

}  // namespace

const Loops& loops() {
  static const Loops table = filled_table<Launches, LoopKernel>();
  return table;
}

void count_up(const View& y, int64_t start, int64_t step) {
  auto* const to = y.as<uint64_t>();
  const auto first = uint64_t(start), stride = uint64_t(step);
  each("arange", y.shape.numel(), [=] __device__(int64_t i) { to[i] = first + uint64_t(i) * stride; });
}

}  // namespace glassgrad::cuda
