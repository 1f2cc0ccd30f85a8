#include "matmul_precision.h"

#include <atomic>

#include "core/error.h"
#include "core/threads.h"
#include "cpu/kernels.h"

namespace glassgrad {
namespace {

std::atomic<MatmulPrecision> precision = MatmulPrecision::fp32;

}  // namespace

MatmulPrecision matmul_precision() { return precision.load(std::memory_order_relaxed); }

void set_matmul_precision(MatmulPrecision p, Device device) {
  if (device == kCpu) {
    check<ValueError>(p != MatmulPrecision::tf32, "tf32 products need a GPU");
    check<ValueError>(p == MatmulPrecision::fp32 || has_bf16_matmul(),
                      "bf16 products need a processor with AVX512-BF16 and GLASSGRAD_CPU=avx512 or none; the "
                      "instructions here are {}",
                      instruction_set());
  } else {
    check<ValueError>(p != MatmulPrecision::bf16,
                      "bf16 products on a GPU read and write halves: Autocast(bfloat16, DeviceType::CUDA) of "
                      "engine/autocast.h");
  }
  precision = p;
}

bool has_bf16_matmul() { return kernels().bf16_matmul != nullptr; }
bool bf16_matmul() { return matmul_precision() == MatmulPrecision::bf16 && has_bf16_matmul(); }
void set_bf16_matmul(bool on) { set_matmul_precision(on ? MatmulPrecision::bf16 : MatmulPrecision::fp32); }

}  // namespace glassgrad
