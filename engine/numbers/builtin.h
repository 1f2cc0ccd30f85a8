// The C library's functions for the files that are compiled once per instruction set or device: compiler
// builtins replace <cmath>, whose inline functions all instruction sets would share. On a GPU, CUDA's
// functions take their place.
#pragma once
#ifndef GG_ISA
#error \
    "engine/numbers/ belongs to the kernel files, which are compiled with -DGG_ISA=<name of the instruction set>"
#endif
#include "../core/types.h"
#include "fma.h"

#ifdef __CUDACC__
#define GG_BUILTIN(name) ::name
#else
#define GG_BUILTIN(name) __builtin_##name
#endif

namespace glassgrad::GG_ISA {

#ifdef __wasm__  // its C library's fma takes three times as long
GG_INLINE float fma(float a, float b, float c) { return fma_in_double(a, b, c); }
#else
GG_INLINE float fma(float a, float b, float c) { return GG_BUILTIN(fmaf)(a, b, c); }
#endif
GG_INLINE double fma(double a, double b, double c) { return GG_BUILTIN(fma)(a, b, c); }

}  // namespace glassgrad::GG_ISA
