// Products by cuBLASLt, which is opened at the first use. It takes column-major matrices, so a row-major y =
// a·b is computed as yᵀ = bᵀ·aᵀ: the memory of a row-major matrix is that of its column-major transpose, so
// nothing is moved.
#include <array>
#include <map>
#include <mutex>
#include <sstream>
#include <string>
#include <utility>

#include "../core/gpu.h"
#include "blas_layout.h"
#include "blas_library.h"
#include "kernels.h"
#include "launch.h"

namespace glassgrad::cuda {
namespace {

// ---------------------------------------------------------------- a GPU's handle
constexpr size_t kWorkspace = size_t{32} << 20;  // what NVIDIA recommends for its newest GPUs

struct Opened {
  bool tried = false;
  cublasLtHandle_t handle = nullptr;  // null: the library is missing or refuses this GPU
  void* workspace = nullptr;          // shared by all products: they run one after another
};

Opened& opened(int index) {
  static Opened all[16];
  Opened& device = all[index];
  if (!device.tried && !gpu::is_capturing()) {  // during a capture, the memory would belong to the graph
    device.tried = true;
    cublasLtHandle_t handle = nullptr;
    if (lt().complete && lt().Create(&handle) == CUBLAS_STATUS_SUCCESS) {
      device.workspace = gpu::take(kWorkspace, index);
      device.handle = handle;
    }
  }
  return device;
}

// ---------------------------------------------------------------- which products
// Everything that the choice of an algorithm depends on.
using Key = std::array<int64_t, 22>;
Key key_of(const Problem& p, int device) {
  Key key{
      device,  int64_t(p.precision), int64_t(p.a.dtype),           int64_t(p.y.dtype), p.batches, p.m, p.n,
      p.depth, p.bias != nullptr,    int64_t(alignment_of(p.bias))};
  size_t at = 10;
  for (const Layout* x : {&p.a, &p.b, &p.y})
    for (const int64_t number : {x->leading, x->batch, int64_t(x->turned), int64_t(alignment_of(x->data))})
      key[at++] = number;
  return key;
}

// A small product takes less time than a call of the library, and a lesson need not load it.
constexpr double kLeastProducts = 256.0 * 256 * 256;
constexpr int64_t kMostSize = (int64_t{1} << 31) - 1;

bool is_its(const Problem& p) {
  if (double(p.batches) * double(p.m) * double(p.n) * double(p.depth) < kLeastProducts) return false;
  for (const int64_t size : {p.batches, p.m, p.n, p.depth})
    if (size > kMostSize) return false;
  return true;
}

// ---------------------------------------------------------------- as text
const char* name_of(DType t) { return t == DType::bfloat16 ? "bf16" : t == DType::float16 ? "fp16" : "fp32"; }
// The format in which a product's inputs are multiplied.
const char* asked_for(const Problem& p) {
  return p.precision == MatmulPrecision::tf32 ? "tf32" : name_of(p.a.dtype);
}

std::string text_of(const Problem& p) {
  std::ostringstream text;
  if (p.batches > 1) text << p.batches << " times ";
  text << p.m << "×" << p.depth << (p.a.turned ? "ᵀ·" : "·") << p.depth << "×" << p.n
       << (p.b.turned ? "ᵀ, " : ", ") << asked_for(p) << " to " << name_of(p.y.dtype)
       << (p.bias ? ", with a bias" : "")
       << (p.whole()     ? ", aligned"
           : p.aligned() ? ", aligned but for the ends of rows"
                         : ", not aligned");
  return text.str();
}

// Describes an algorithm: its kernel and the formats that it multiplies in. Values that the library does not
// report are 0.
std::string text_of(const cublasLtMatmulAlgo_t& algorithm, const char* asked) {
  std::string text;
  size_t written = 0;
  const auto add = [&](const char* name, cublasLtMatmulAlgoConfigAttributes_t attribute) {
    uint32_t value = 0;
    lt().MatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof value, &written);
    text += name + std::to_string(value);
  };
  add("algorithm ", CUBLASLT_ALGO_CONFIG_ID);
  add(", tile ", CUBLASLT_ALGO_CONFIG_TILE_ID);
  add(", stages ", CUBLASLT_ALGO_CONFIG_STAGES_ID);
  uint64_t flags = 0;
  lt().MatmulAlgoCapGetAttribute(&algorithm, CUBLASLT_ALGO_CAP_NUMERICAL_IMPL_FLAGS, &flags, sizeof flags,
                                 &written);
  // For kernels that take both half dtypes, the library reports only one.
  constexpr uint64_t kHalves =
      CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16BF | CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_16F;
  constexpr std::pair<uint64_t, const char*> kFormats[] = {{kHalves, "halves"},
                                                           {CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_TF32, "tf32"},
                                                           {CUBLASLT_NUMERICAL_IMPL_FLAGS_INPUT_32F, "fp32"}};
  std::string formats;
  for (const auto& [flag, name] : kFormats)
    if (flags & flag) formats += (formats.empty() ? ", in " : " or ") + std::string(name);
  text += formats;
  if (formats.find(asked) == std::string::npos) text += ", NOT IN " + std::string(asked);
  return text;
}

// ---------------------------------------------------------------- plans
// How to compute a product of one shape: with the first algorithm that the library proposes.
struct Plan {
  std::string what;  // the product, as text
  const char* asked = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, y = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
  bool usable = false;  // whether there is an algorithm
};

cudaDataType_t library_type(DType t) {
  return t == DType::bfloat16 ? CUDA_R_16BF : t == DType::float16 ? CUDA_R_16F : CUDA_R_32F;
}

cublasLtMatrixLayout_t library_layout(const Layout& x, int64_t batches) {
  cublasLtMatrixLayout_t layout = nullptr;
  GG_BLAS_CHECK(MatrixLayoutCreate, &layout, library_type(x.dtype), uint64_t(x.rows), uint64_t(x.columns),
                x.leading);
  const auto count = int32_t(batches);
  GG_BLAS_CHECK(MatrixLayoutSetAttribute, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
  GG_BLAS_CHECK(MatrixLayoutSetAttribute, layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &x.batch,
                sizeof x.batch);
  return layout;
}

template <class V>
void set(cublasLtMatmulDesc_t product, cublasLtMatmulDescAttributes_t attribute, const V& value) {
  GG_BLAS_CHECK(MatmulDescSetAttribute, product, attribute, &value, sizeof value);
}
template <class V>
void set(cublasLtMatmulPreference_t wish, cublasLtMatmulPreferenceAttributes_t attribute, const V& value) {
  GG_BLAS_CHECK(MatmulPreferenceSetAttribute, wish, attribute, &value, sizeof value);
}

// The library's A is b, its B is a.
void describe(const Problem& p, Plan& plan) {
  plan.what = text_of(p), plan.asked = is_narrow(p.a.dtype) ? "halves" : asked_for(p);
  plan.a = library_layout(p.b, p.batches);
  plan.b = library_layout(p.a, p.batches);
  plan.y = library_layout(p.y, p.batches);
  const bool tf32 = p.precision == MatmulPrecision::tf32;
  GG_BLAS_CHECK(MatmulDescCreate, &plan.product, tf32 ? CUBLAS_COMPUTE_32F_FAST_TF32 : CUBLAS_COMPUTE_32F,
                CUDA_R_32F);
  set(plan.product, CUBLASLT_MATMUL_DESC_TRANSA, int32_t(p.b.turned ? CUBLAS_OP_T : CUBLAS_OP_N));
  set(plan.product, CUBLASLT_MATMUL_DESC_TRANSB, int32_t(p.a.turned ? CUBLAS_OP_T : CUBLAS_OP_N));
  if (p.bias) {  // one number for each row of yᵀ
    set(plan.product, CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(CUBLASLT_EPILOGUE_BIAS));
    set(plan.product, CUBLASLT_MATMUL_DESC_BIAS_DATA_TYPE, int32_t(library_type(p.y.dtype)));
    set(plan.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  }
}

// Excludes reductions that add up parts in place, in a different order each time, and reductions that round
// parts to the result's dtype before they are added. So every run of the program has the same bits.
constexpr uint32_t kReductions = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE;

void choose(const Problem& p, Plan& plan, const Opened& device) {
  cublasLtMatmulPreference_t wish = nullptr;
  GG_BLAS_CHECK(MatmulPreferenceCreate, &wish);
  set(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t(kWorkspace));
  set(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kReductions);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(p.b.data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(p.a.data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(p.y.data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(p.y.data));
  cublasLtMatmulHeuristicResult_t first = {};
  int found = 0;
  const cublasStatus_t status = lt().MatmulAlgoGetHeuristic(device.handle, plan.product, plan.a, plan.b,
                                                            plan.y, plan.y, wish, 1, &first, &found);
  lt().MatmulPreferenceDestroy(wish);
  plan.usable = status == CUBLAS_STATUS_SUCCESS && found > 0 && first.state == CUBLAS_STATUS_SUCCESS;
  plan.algorithm = first.algo;
}

// Never destroyed: static tensors may still compute.
struct Plans {
  std::mutex mutex;
  std::map<Key, Plan> all;
};
Plans& plans() {
  static Plans* const kept = new Plans;
  return *kept;
}

bool run(const Problem& p) {
  const int index = current_device();
  const Opened& device = opened(index);
  if (!device.handle) return false;
  const auto [place, fresh] = plans().all.try_emplace(key_of(p, index));
  Plan& plan = place->second;
  if (fresh) describe(p, plan), choose(p, plan, device);
  if (!plan.usable) return false;
  if (p.bias) set(plan.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  const float one = 1, none = 0;
  const cublasStatus_t status = lt().Matmul(device.handle, plan.product, &one, p.b.data, plan.a, p.a.data,
                                            plan.b, &none, p.y.data, plan.y, const_cast<void*>(p.y.data),
                                            plan.y, &plan.algorithm, device.workspace, kWorkspace, stream());
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return plan.usable = false;  // although it was proposed
  check(status, "cublasLtMatmul");
  gpu::add_work({.launches = 1});
  if (waits_for_kernels()) GG_CUDA_CHECK(cudaStreamSynchronize(stream()));
  return true;
}

}  // namespace

bool blas_product(const View& a, const View& b, const View& y, MatmulPrecision precision, const void* bias) {
  Problem p;
  if (!p.describe(a, b, y, bias) || !is_its(p)) return false;
  // Float32 matrices are rounded to tf32 or not at all; halves stay as they are.
  const bool tf32 = a.dtype == DType::float32 && precision == MatmulPrecision::tf32;
  p.precision = tf32 ? MatmulPrecision::tf32 : MatmulPrecision::fp32;
  const std::lock_guard lock(plans().mutex);
  if (run(p)) return true;
  p.precision = MatmulPrecision::fp32;  // supported for any alignment
  return tf32 && run(p);
}

std::vector<std::string> blas_plans() {
  const std::lock_guard lock(plans().mutex);
  std::vector<std::string> lines;
  for (const auto& [key, plan] : plans().all)
    lines.push_back(
        plan.what + ": " +
        (plan.usable ? text_of(plan.algorithm, plan.asked) : "none, so the project's own kernel"));
  return lines;
}

}  // namespace glassgrad::cuda
