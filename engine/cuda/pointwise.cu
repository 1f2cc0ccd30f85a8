// The loops of the pointwise ops on a GPU: every row of ops/pointwise.def, its value and its gradients, for
// every dtype it takes; select and convert.
#include "../numbers/formulas.h"
#include "kernels.h"
#include "launch.h"

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

// Element i of the loop lies so many elements after the first of each operand.
template <int operands>
struct Places {
  int64_t at[operands];
  __device__ Places(const Nest& nest, int64_t i) {
    for (int k = 0; k < operands; ++k) at[k] = 0;
    for (int d = nest.dims - 1; d >= 0; --d) {
      // Dividing 64 bits takes several times as long.
      const bool small = i < int64_t(1) << 31 && nest.size[d] < int64_t(1) << 31;
      const int64_t rest = d == 0  ? 0
                           : small ? int64_t(unsigned(i) / unsigned(nest.size[d]))
                                   : i / nest.size[d];
      const int64_t index = i - rest * nest.size[d];
      for (int k = 0; k < operands; ++k) at[k] += index * nest.step[d][k];
      i = rest;
    }
  }
};

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
    const Places<int(sizeof...(T)) + 1> p(a.nest, i);
    reinterpret_cast<R*>(a.data[0])[p.at[0]] = F::of(read<F, int(I) + 1, T>(a, p.at[I + 1])...);
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
  const Kernel kernel = loop_kernel<F, R, List<T...>, typename FirstN<int(sizeof...(T))>::type>;
  launch("pointwise", kernel, grid_of(a.packed ? a.n / kPack + kPack : a.n), a);
}

// ---- what is computed
template <class F, class T>
struct Formula {
  static constexpr unsigned kUsed = F::kUsed;
  template <class... X>
  __device__ static auto of(X... x) {
    return stored(F::of(typename ValueOf<T>::type(x)...));
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
template <class F, class Kind, class... T>
void fill_value(LoopKernel (&table)[kDTypes], Types<T...>) {
  ((table[int(dtype_of<T>())] =
        formula_loop<F, typename ResultOf<Kind, T>::type, T>(typename FirstN<F::kOperands>::type())),
   ...);
}
template <class F, class... T>
void fill_gradient(LoopKernel (&table)[kDTypes], Types<T...>) {
  ((table[int(dtype_of<T>())] = formula_loop<F, T, T>(typename FirstN<F::kOperands>::type())), ...);
}

template <class From, class... To>
void fill_convert(LoopKernel (&table)[kDTypes], Types<To...>) {
  ((table[int(dtype_of<To>())] = run_loop<Convert<From, To>, To, From>), ...);
}
template <class... T>
void fill_moves(Loops& p, Types<T...> all) {
  ((p.select[int(dtype_of<T>())] = run_loop<Select<T>, T, bool, T, T>), ...);
  (fill_convert<T>(p.convert[int(dtype_of<T>())], all), ...);
}

Loops filled() {
  Loops p;
  fill_moves(p, arithmetic::types());
#define GG_ROW(name) p.rows[int(PointwiseId::name)]
#define GG_VALUE(name, kind) fill_value<name##_row::value, kind>(GG_ROW(name).value, kind::types());
#define UNARY_PLAIN(name, kind, ...) GG_VALUE(name, kind)
#define BINARY_PLAIN(name, kind, ...) GG_VALUE(name, kind)
#define UNARY(name, kind, ...) \
  GG_VALUE(name, kind)         \
  fill_gradient<name##_row::dx>(GG_ROW(name).derivative[0], Floats());
#define UNARY_NUMBERS UNARY
#define BINARY(name, kind, ...)                                        \
  GG_VALUE(name, kind)                                                 \
  fill_gradient<name##_row::da>(GG_ROW(name).derivative[0], Floats()); \
  fill_gradient<name##_row::db>(GG_ROW(name).derivative[1], Floats());
#include "../ops/pointwise.def"
  return p;
}

}  // namespace

const Loops& loops() {
  static const Loops table = filled();
  return table;
}

}  // namespace glassgrad::cuda
