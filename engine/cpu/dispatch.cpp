// Picks the kernels: one table per instruction set in the build that this processor has.
#include <array>

#include "kernels.h"

namespace glassgrad {

#define GG_DECLARE_SET(set)        \
  namespace set {                  \
  void fill_matmul(Kernels& k);    \
  void fill_norm(Kernels& k);      \
  void fill_normal(Kernels& k);    \
  void fill_optimize(Kernels& k);  \
  void fill_pointwise(Kernels& k); \
  void fill_reduce(Kernels& k);    \
  void fill_scalar(Kernels& k);    \
  void fill_softmax(Kernels& k);   \
  }
GG_DECLARE_SET(isa_baseline)
#ifdef GG_ISA_V3
GG_DECLARE_SET(isa_v3)
#endif

namespace {

#define GG_TABLE(set, name) \
  [] {                      \
    Kernels k;              \
    k.isa = name;           \
    set::fill_matmul(k);    \
    set::fill_norm(k);      \
    set::fill_normal(k);    \
    set::fill_optimize(k);  \
    set::fill_pointwise(k); \
    set::fill_reduce(k);    \
    set::fill_scalar(k);    \
    set::fill_softmax(k);   \
    return k;               \
  }()

struct Tables {
  std::array<Kernels, 2> table;
  size_t count = 0;

  Tables() {
#ifdef GG_ISA_V3
    if (has_v3()) table[count++] = GG_TABLE(isa_v3, "x86-64-v3");
#endif
    table[count++] = GG_TABLE(isa_baseline, "baseline");
  }
#ifdef GG_ISA_V3
  // All that -march=x86-64-v3 lets a compiler use; lzcnt, movbe and f16c came with the same processors as
  // bmi2.
  static bool has_v3() {
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
           __builtin_cpu_supports("bmi2");
  }
#endif
};

const Tables& tables() {
  static const Tables all;
  return all;
}

}  // namespace

const Kernels& kernels() { return tables().table[0]; }
std::span<const Kernels> all_kernels() { return {tables().table.data(), tables().count}; }

}  // namespace glassgrad
