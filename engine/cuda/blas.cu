// cuBLASLt, opened where it is wanted. It knows matrices by columns, so y = a·b by rows is asked for as
// yᵀ = bᵀ·aᵀ: a matrix by rows is, in its eyes, the transposed one by columns, and nothing is moved.
#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "../core/gpu.h"
#include "blas_library.h"
#include "kernels.h"
#include "launch.h"

namespace glassgrad::cuda {
namespace {

// ---------------------------------------------------------------- a GPU's handle
constexpr size_t kWorkspace = size_t{32} << 20;  // what NVIDIA recommends for its newest GPUs

struct Opened {
  bool tried = false;
  cublasLtHandle_t handle = nullptr;  // none: the library is missing or refuses this GPU
  void* workspace = nullptr;          // shared by all products: they run one after another
};

Opened& opened(int index) {
  static Opened all[16];
  Opened& device = all[index];
  if (!device.tried && !gpu::is_capturing()) {  // a graph's memory would go with it
    device.tried = true;
    cublasLtHandle_t handle = nullptr;
    if (lt().complete && lt().Create(&handle) == CUBLAS_STATUS_SUCCESS) {
      device.workspace = gpu::take(kWorkspace, index);
      device.handle = handle;
    }
  }
  return device;
}

// ---------------------------------------------------------------- matrices as the library describes them
// A matrix (m, n) by rows is one of n rows and m columns; one by columns is as it is, and has to be turned.
struct Layout {
  // `rows` numbers lie side by side, the next column `leading` numbers on, the next matrix `batch`, which is
  // 0 where all are the same.
  int64_t rows = 0, columns = 0, leading = 0, batch = 0;
  bool turned = false;

  // False: it lies in neither way. Where a dimension is 1 its step says nothing.
  bool describe(const View& x) {
    const int first = x.shape.n - 2;
    const int64_t m = x.shape[first], n = x.shape[first + 1];
    const int64_t down = x.strides[first], across = x.strides[first + 1];
    batch = first > 0 && x.shape[0] > 1 ? x.strides[0] : 0;
    if ((n == 1 || across == 1) && (m == 1 || down >= n)) {
      rows = n, columns = m, leading = m == 1 ? n : down, turned = false;
      return true;
    }
    rows = m, columns = n, leading = n == 1 ? m : across, turned = true;
    return (m == 1 || down == 1) && (n == 1 || across >= m);
  }
};

uint32_t alignment_of(const void* data) {
  const auto address = reinterpret_cast<uintptr_t>(data);
  const uintptr_t lowest = address & (~address + 1);
  return lowest == 0 || lowest > 256 ? 256 : uint32_t(lowest);
}

struct Problem {
  Layout a, b, y;
  int64_t m, n, depth, batches;
  const float *a_data, *b_data, *bias;
  float* y_data;
  MatmulPrecision precision;
};

// All that the choice of an algorithm depends on.
using Key = std::array<int64_t, 16>;
Key key_of(const Problem& p, int device) {
  return {device,
          int64_t(p.precision),
          p.bias != nullptr ? int64_t(alignment_of(p.bias)) : 0,
          p.batches,
          p.m,
          p.n,
          p.depth,
          p.a.leading,
          p.a.batch,
          p.a.turned,
          p.b.leading,
          p.b.batch,
          p.b.turned,
          int64_t(alignment_of(p.a_data)),
          int64_t(alignment_of(p.b_data)),
          int64_t(alignment_of(p.y_data))};
}

// Small products are done before the library would have begun, and a lesson's program need not load it.
constexpr double kLeastProducts = 256.0 * 256 * 256;
constexpr int64_t kMostSize = (int64_t{1} << 31) - 1;

bool describe(const View& a, const View& b, const View& y, Problem& p) {
  const int first = y.shape.n - 2;
  p.batches = first > 0 ? y.shape[0] : 1;
  p.m = y.shape[first], p.n = y.shape[first + 1], p.depth = a.shape[first + 1];
  if (double(p.batches) * double(p.m) * double(p.n) * double(p.depth) < kLeastProducts) return false;
  for (const int64_t size : {p.batches, p.m, p.n, p.depth})
    if (size > kMostSize) return false;
  return p.a.describe(a) && p.b.describe(b) && p.y.describe(y) && !p.y.turned;
}

// ---------------------------------------------------------------- plans
// How a product of some shape is asked for: by the first algorithm that the library proposes.
struct Plan {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, y = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
  bool usable = false;  // is there an algorithm?
};

cublasLtMatrixLayout_t library_layout(const Layout& x, int64_t batches) {
  cublasLtMatrixLayout_t layout = nullptr;
  GG_BLAS_CHECK(MatrixLayoutCreate, &layout, CUDA_R_32F, uint64_t(x.rows), uint64_t(x.columns), x.leading);
  const auto count = int32_t(batches);
  GG_BLAS_CHECK(MatrixLayoutSetAttribute, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &count, sizeof count);
  GG_BLAS_CHECK(MatrixLayoutSetAttribute, layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, &x.batch,
                sizeof x.batch);
  return layout;
}

cublasComputeType_t compute_type(MatmulPrecision precision) {
  switch (precision) {
    case MatmulPrecision::tf32:
      return CUBLAS_COMPUTE_32F_FAST_TF32;
    case MatmulPrecision::bf16:
      return CUBLAS_COMPUTE_32F_FAST_16BF;
    default:
      return CUBLAS_COMPUTE_32F;
  }
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
  plan.a = library_layout(p.b, p.batches);
  plan.b = library_layout(p.a, p.batches);
  plan.y = library_layout(p.y, p.batches);
  GG_BLAS_CHECK(MatmulDescCreate, &plan.product, compute_type(p.precision), CUDA_R_32F);
  set(plan.product, CUBLASLT_MATMUL_DESC_TRANSA, int32_t(p.b.turned ? CUBLAS_OP_T : CUBLAS_OP_N));
  set(plan.product, CUBLASLT_MATMUL_DESC_TRANSB, int32_t(p.a.turned ? CUBLAS_OP_T : CUBLAS_OP_N));
  if (p.bias) {  // one number for each row of yᵀ
    set(plan.product, CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(CUBLASLT_EPILOGUE_BIAS));
    set(plan.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  }
}

// Parts of a sum that are added up in place come in an order of their own each time: not those. So a run of
// the program has the bits of the run before.
constexpr uint32_t kReductions =
    CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE;

void choose(const Problem& p, Plan& plan, const Opened& device) {
  cublasLtMatmulPreference_t wish = nullptr;
  GG_BLAS_CHECK(MatmulPreferenceCreate, &wish);
  set(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t(kWorkspace));
  set(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kReductions);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(p.b_data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(p.a_data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(p.y_data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(p.y_data));
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
  const cublasStatus_t status =
      lt().Matmul(device.handle, plan.product, &one, p.b_data, plan.a, p.a_data, plan.b, &none, p.y_data,
                  plan.y, p.y_data, plan.y, &plan.algorithm, device.workspace, kWorkspace, stream());
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return plan.usable = false;  // though it was proposed
  check(status, "cublasLtMatmul");
  if (waits_for_kernels()) GG_CUDA_CHECK(cudaStreamSynchronize(stream()));
  return true;
}

}  // namespace

bool blas_product(const View& a, const View& b, const View& y, MatmulPrecision precision, const void* bias) {
  Problem p{};
  if (!describe(a, b, y, p)) return false;
  p.a_data = a.as<const float>(), p.b_data = b.as<const float>(), p.y_data = y.as<float>();
  p.bias = static_cast<const float*>(bias);
  p.precision = precision;
  const std::lock_guard lock(plans().mutex);
  if (run(p)) return true;
  p.precision = MatmulPrecision::fp32;  // which it has for matrices of any alignment
  return precision != MatmulPrecision::fp32 && run(p);
}

int blas_shapes() {
  const std::lock_guard lock(plans().mutex);
  return int(
      std::count_if(plans().all.begin(), plans().all.end(), [](const auto& p) { return p.second.usable; }));
}

}  // namespace glassgrad::cuda
