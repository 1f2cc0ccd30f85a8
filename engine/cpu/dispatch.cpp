// Picks the kernels: one table per instruction set in the build that this processor has.
#include <array>
#include <cstdlib>
#include <string_view>

#include "../core/error.h"
#include "../core/threads.h"
#include "kernels.h"

namespace glassgrad {

#define GG_DECLARE_SET(set)        \
  namespace set {                  \
  void fill_attention(Kernels& k); \
  void fill_matmul(Kernels& k);    \
  void fill_norm(Kernels& k);      \
  void fill_normal(Kernels& k);    \
  void fill_optimize(Kernels& k);  \
  void fill_peak(Kernels& k);      \
  void fill_pointwise(Kernels& k); \
  void fill_reduce(Kernels& k);    \
  void fill_scalar(Kernels& k);    \
  void fill_softmax(Kernels& k);   \
  }
GG_DECLARE_SET(isa_baseline)
#ifdef GG_ISA_V3
GG_DECLARE_SET(isa_v3)
#endif
#ifdef GG_ISA_V4
GG_DECLARE_SET(isa_v4)
#endif

#ifdef GG_ISA_NEON
GG_DECLARE_SET(isa_neon)
#endif

#ifdef GG_ISA_BF16
namespace isa_bf16 {
void fill_bf16(Kernels& k);
}
#endif

namespace {

#define GG_FILL(set)      \
  set::fill_attention(k); \
  set::fill_matmul(k);    \
  set::fill_norm(k);      \
  set::fill_normal(k);    \
  set::fill_optimize(k);  \
  set::fill_peak(k);      \
  set::fill_pointwise(k); \
  set::fill_reduce(k);    \
  set::fill_scalar(k);    \
  set::fill_softmax(k)

#if defined(GG_ISA_V3) || defined(GG_ISA_V4)
// All that -march=x86-64-v3 lets a compiler use; lzcnt, movbe and f16c came with the same processors as bmi2.
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
#endif
#ifdef GG_ISA_V4
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

// A table is filled when it is asked for: the code that fills the others stays on disk.
struct Set {
  const char* name;
  bool (*is_here)();
  void (*fill)(Kernels& k);
};
constexpr Set kSets[] = {  // the best first
#ifdef GG_ISA_V4
    {"avx512", has_v4,
     [](Kernels& k) {
       GG_FILL(isa_v4);
#ifdef GG_ISA_BF16
       if (__builtin_cpu_supports("avx512bf16")) isa_bf16::fill_bf16(k);
#endif
     }},
#endif
#ifdef GG_ISA_V3
    {"avx2", has_v3, [](Kernels& k) { GG_FILL(isa_v3); }},
#endif
#ifdef GG_ISA_NEON
    {"neon", [] { return true; }, [](Kernels& k) { GG_FILL(isa_neon); }},  // no 64-bit ARM is without
#endif
    {"portable", [] { return true; }, [](Kernels& k) { GG_FILL(isa_baseline); }}};

std::span<Kernels> tables() {
  static std::array<Kernels, std::size(kSets)> all;
  static const size_t count = [] {
    size_t n = 0;
    for (const Set& set : kSets)
      if (set.is_here()) all[n++].isa = set.name;
    return n;
  }();
  return {all.data(), count};
}

const Kernels& filled(Kernels& k) {
  for (const Set& set : kSets)
    if (!k.scalar && std::string_view(set.name) == k.isa) set.fill(k);
  return k;
}

const Kernels& chosen() {
  const char* const set = std::getenv("GLASSGRAD_CPU");
  if (!set || !*set) return filled(tables().front());
  std::string names;
  for (Kernels& k : tables()) {
    if (std::string_view(k.isa) == set) return filled(k);
    names += names.empty() ? k.isa : std::string(", ") + k.isa;
  }
  fail<ValueError>("GLASSGRAD_CPU names the instructions to use, here one of {}, not '{}'", names, set);
}

}  // namespace

const Kernels& kernels() {
  static const Kernels& best = chosen();
  return best;
}
const char* instruction_set() { return kernels().isa; }
std::span<const Kernels> all_kernels() {
  static const std::span<const Kernels> all = [] {
    for (Kernels& k : tables()) filled(k);
    return tables();
  }();
  return all;
}

}  // namespace glassgrad
