#include "apps/prove/bench/reference_gemm.h"

#include <dlfcn.h>

#include <cstdlib>
#include <initializer_list>
#include <string_view>

#include "engine/core/threads.h"

namespace glassgrad::bench {
namespace {

// Returns the function from the first of these libraries that is installed and has it, or null.
template <class F>
F* function_of(std::initializer_list<const char*> libraries, const char* name) {
  for (const char* library : libraries)
    if (void* const handle = dlopen(library, RTLD_NOW | RTLD_LOCAL))
      if (void* const found = dlsym(handle, name)) return reinterpret_cast<F*>(found);
  return nullptr;
}

constexpr std::initializer_list<const char*> kOpenBlas = {"libopenblas.so.0", "libopenblas.so"};
constexpr std::initializer_list<const char*> kOneDnn = {"libdnnl.so.3", "libdnnl.so.2", "libdnnl.so"};

using OpenBlasProduct = void(int order, int turn_a, int turn_b, int m, int n, int k, float alpha,
                             const float* a, int lda, const float* b, int ldb, float beta, float* y, int ldy);
using OneDnnProduct = int(char turn_a, char turn_b, int64_t m, int64_t n, int64_t k, float alpha,
                          const float* a, int64_t lda, const float* b, int64_t ldb, float beta, float* y,
                          int64_t ldy);
OpenBlasProduct* openblas_product = nullptr;
OneDnnProduct* onednn_product = nullptr;

int64_t row_of_a(const Product& p) { return p.a_turned ? p.m : p.k; }
int64_t row_of_b(const Product& p) { return p.b_turned ? p.k : p.n; }

void with_openblas(const Product& p, const float* a, const float* b, float* y) {
  constexpr int kRowMajor = 101, kPlain = 111, kTurned = 112;
  for (int64_t i = 0; i < p.batches; ++i, a += p.m * p.k, b += p.k * p.n, y += p.m * p.n)
    openblas_product(kRowMajor, p.a_turned ? kTurned : kPlain, p.b_turned ? kTurned : kPlain, int(p.m),
                     int(p.n), int(p.k), 1, a, int(row_of_a(p)), b, int(row_of_b(p)), 0, y, int(p.n));
}
void with_onednn(const Product& p, const float* a, const float* b, float* y) {
  for (int64_t i = 0; i < p.batches; ++i, a += p.m * p.k, b += p.k * p.n, y += p.m * p.n)
    onednn_product(p.a_turned ? 'T' : 'N', p.b_turned ? 'T' : 'N', p.m, p.n, p.k, 1, a, row_of_a(p), b,
                   row_of_b(p), 0, y, p.n);
}

}  // namespace

std::vector<ReferenceGemm> reference_gemms(int threads) {
  std::vector<ReferenceGemm> all;
  // An OpenBLAS that is older than the processor does not recognise it and would use kernels from 2004.
  if (instruction_set() == std::string_view("avx512")) setenv("OPENBLAS_CORETYPE", "SkylakeX", false);
  openblas_product = function_of<OpenBlasProduct>(kOpenBlas, "cblas_sgemm");
  if (auto* const set = function_of<void(int)>(kOpenBlas, "openblas_set_num_threads");
      set && openblas_product) {
    set(threads);
    all.push_back({"openblas", with_openblas});
  }
  onednn_product = function_of<OneDnnProduct>(kOneDnn, "dnnl_sgemm");
  if (auto* const set = function_of<void(int)>({"libgomp.so.1"}, "omp_set_num_threads");
      set && onednn_product) {
    set(threads);
    all.push_back({"onednn", with_onednn});
  }
  return all;
}

}  // namespace glassgrad::bench
