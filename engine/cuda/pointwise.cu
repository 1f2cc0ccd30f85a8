// The loops of the pointwise ops on a GPU: every row of numbers/pointwise.def, its value and its gradients,
// for every dtype it takes; select and convert.
#include "../numbers/formulas.h"
#include "kernels.h"
#include "launch.h"
#include "walk.h"

namespace glassgrad::cuda {
namespace {

using namespace GG_ISA;

// ---- a loop as it travels to the GPU
struct Arguments {
  int64_t n;
  Nest nest;
  char* data[kMaxOperands];
  alignas(8) char number[kMaxOperands][8];  // of operands that are one: they travel with the call
  unsigned numbers;                         // which those are, as a set of bits
  bool packed;                              // all others lie side by side, at multiples of 16 bytes
};

Arguments arguments_of(std::span<const Operand> operands) {
  Arguments a{};
  a.n = operands[0].shape->numel();
  a.nest = nest_of(operands);
  a.packed = a.nest.dims <= 1;
  for (size_t k = 0; k < operands.size(); ++k) {
    const Operand& x = operands[k];
    a.data[k] = static_cast<char*>(x.data);
    if (x.is_number) {
      __builtin_memcpy(a.number[k], x.data, size_t(x.item_size));
      a.numbers |= 1u << k;
    } else if (x.data) {
      const bool side_by_side = a.nest.dims == 0 || a.nest.step[0][k] == 1;
      a.packed = a.packed && side_by_side && reinterpret_cast<uintptr_t>(x.data) % 16 == 0;
    }
  }
  return a;
}

constexpr int kPack = 4;
template <class T>
struct alignas(sizeof(T) * kPack < 16 ? sizeof(T) * kPack : 16) Pack {
  T v[kPack];
};

template <class... T>
struct List {};

template <class T>
__device__ T number_of(const Arguments& a, int k) {
  T v;
  memcpy(&v, a.number[k], sizeof v);
  return v;
}
// Operand k, if the formula reads it, at a place.
template <class F, int k, class T>
__device__ T read(const Arguments& a, int64_t place) {
  if constexpr (!has(F::kUsed, k - 1)) return T(0);
  return a.numbers >> k & 1 ? number_of<T>(a, k) : reinterpret_cast<const T*>(a.data[k])[place];
}
template <class F, int k, class T>
__device__ Pack<T> read_pack(const Arguments& a, int64_t i) {
  if (has(F::kUsed, k - 1) && !(a.numbers >> k & 1)) return reinterpret_cast<const Pack<T>*>(a.data[k])[i];
  Pack<T> p;
  for (T& v : p.v) v = has(F::kUsed, k - 1) ? number_of<T>(a, k) : T(0);
  return p;
}

// R y = F(T x, …) for all elements. F has of(…) and kUsed, the operands that it reads.
template <class F, class R, class... T, size_t... I>
__device__ void run(const Arguments& a, List<T...>, Indices<I...>) {
  const int64_t packs = a.packed ? a.n / kPack : 0;
  for (int64_t i = first_of_thread(); i < packs; i += threads_of_grid()) {
    const auto apply = [&](const Pack<T>&... x) {
      Pack<R> y;
      for (int j = 0; j < kPack; ++j) y.v[j] = F::of(x.v[j]...);
      reinterpret_cast<Pack<R>*>(a.data[0])[i] = y;
    };
    apply(read_pack<F, int(I) + 1, T>(a, i)...);
  }
  for (int64_t i = packs * kPack + first_of_thread(); i < a.n; i += threads_of_grid()) {
    int64_t at[sizeof...(T) + 1];
    find_places(a.nest.dims, a.nest.size, a.nest.step, i, at);
    reinterpret_cast<R*>(a.data[0])[at[0]] = F::of(read<F, int(I) + 1, T>(a, at[I + 1])...);
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

template <size_t, class T>
using Always = T;
template <class F, class R, class T, size_t... I>
constexpr LoopKernel formula_loop(Indices<I...>) {
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
