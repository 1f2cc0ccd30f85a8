// Picks the kernels: one table per instruction set that both the build and this processor have.
#include <array>
#include <cstdlib>
#include <string_view>

#include "../core/error.h"
#include "../core/threads.h"
#include "kernels.h"

namespace glassgrad {

// The *.isa.cpp files, each of which fills its part of a table in fill_NAME.
#define GG_EACH_FILE(F) \
  F(attention) F(matmul) F(norm) F(normal) F(optimize) F(peak) F(pointwise) F(reduce) F(scalar) F(softmax)
#define GG_DECLARE(file) void fill_##file(Kernels& k);
#define GG_FILL(file) fill_##file(k);
#define GG_DECLARE_SET(set)                              \
  namespace set {                                        \
  GG_EACH_FILE(GG_DECLARE)                               \
  static void fill(Kernels& k) { GG_EACH_FILE(GG_FILL) } \
  }
#ifdef GG_ISA_BASELINE
GG_DECLARE_SET(isa_baseline)
#endif
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

#if defined(GG_ISA_V3) || defined(GG_ISA_V4)
// True if the processor can run -march=x86-64-v3. Processors with bmi2 also have lzcnt, movbe and f16c.
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

// A table is filled when it is first used, so that the code of the other instruction sets is never loaded.
struct Set {
  const char* name;
  bool (*is_here)();
  void (*fill)(Kernels& k);
};
// The best comes first.
constexpr Set kSets[] = {
#ifdef GG_ISA_V4
    {"avx512", has_v4,
     [](Kernels& k) {
       isa_v4::fill(k);
#ifdef GG_ISA_BF16
       if (__builtin_cpu_supports("avx512bf16")) isa_bf16::fill_bf16(k);
#endif
     }},
#endif
#ifdef GG_ISA_V3
    {"avx2", has_v3, isa_v3::fill},
#endif
#ifdef GG_ISA_NEON
    {"neon", [] { return true; }, isa_neon::fill},  // every 64-bit ARM has it
#endif
#ifdef GG_ISA_BASELINE
    {"portable", [] { return true; }, isa_baseline::fill},
#endif
};

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
  check(
      !tables().empty(),
      "this glassgrad is built for processors with {}, which this one is not: `make build` builds it for all",
      kSets[0].name);
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
