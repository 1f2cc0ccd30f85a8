// The functions of cuBLASLt that blas.cu calls, loaded from the library at run time. For blas.cu only.
#pragma once
#include <cublasLt.h>
#include <dlfcn.h>

#include "runtime.h"

namespace glassgrad::cuda {
namespace {

// clang-format off
#define GG_BLAS_FUNCTIONS(F) \
  F(Create) \
  F(GetStatusName) \
  F(GetStatusString) \
  F(MatmulDescCreate) \
  F(MatmulDescDestroy) \
  F(MatmulDescSetAttribute) \
  F(MatrixLayoutCreate) \
  F(MatrixLayoutDestroy) \
  F(MatrixLayoutSetAttribute) \
  F(MatmulPreferenceCreate) \
  F(MatmulPreferenceDestroy) \
  F(MatmulPreferenceSetAttribute) \
  F(MatmulAlgoGetHeuristic) \
  F(MatmulAlgoCapGetAttribute) \
  F(MatmulAlgoConfigGetAttribute) \
  F(Matmul)
// clang-format on

#define GG_TEXT_OF(x) #x
#define GG_TEXT(x) GG_TEXT_OF(x)
constexpr const char* kFile = "libcublasLt.so." GG_TEXT(CUBLAS_VER_MAJOR);
constexpr const char* kFileOfBuild = GG_CUDA_LIBRARIES "/libcublasLt.so." GG_TEXT(CUBLAS_VER_MAJOR);

struct Library {
#define GG_MEMBER(name) decltype(&cublasLt##name) name = nullptr;
  GG_BLAS_FUNCTIONS(GG_MEMBER)
#undef GG_MEMBER
  bool complete = false;

  Library() {
    void* file = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
    if (!file) file = dlopen(kFileOfBuild, RTLD_NOW | RTLD_LOCAL);
    if (!file) return;
    complete = true;
#define GG_FIND(name)                                                     \
  name = reinterpret_cast<decltype(name)>(dlsym(file, "cublasLt" #name)); \
  complete = complete && name;
    GG_BLAS_FUNCTIONS(GG_FIND)
#undef GG_FIND
  }
};
const Library& lt() {
  static const Library once;
  return once;
}

void check(cublasStatus_t status, const char* call) {
  if (status != CUBLAS_STATUS_SUCCESS)
    throw_cuda_error(call, lt().GetStatusName(status), lt().GetStatusString(status));
}
#define GG_BLAS_CHECK(function, ...) check(lt().function(__VA_ARGS__), "cublasLt" #function)

}  // namespace
}  // namespace glassgrad::cuda
