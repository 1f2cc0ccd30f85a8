// cuBLASLt, opened where it is wanted. It knows matrices by columns, so y = a·b by rows is asked for as
// yᵀ = bᵀ·aᵀ: a matrix by rows is, in its eyes, the transposed one by columns, and nothing is moved.
#include <cublasLt.h>
#include <dlfcn.h>

#include <array>
#include <cstdlib>
#include <map>
#include <mutex>

#include "blas.h"
#include "device.h"
#include "error.h"
#include "launch.h"

namespace glassgrad::cuda {
namespace {

// ---------------------------------------------------------------- the library
#define GG_BLAS_FUNCTIONS(F)      \
  F(Create)                       \
  F(GetStatusName)                \
  F(GetStatusString)              \
  F(MatmulDescCreate)             \
  F(MatmulDescSetAttribute)       \
  F(MatrixLayoutCreate)           \
  F(MatrixLayoutSetAttribute)     \
  F(MatmulPreferenceCreate)       \
  F(MatmulPreferenceDestroy)      \
  F(MatmulPreferenceSetAttribute) \
  F(MatmulAlgoGetHeuristic)       \
  F(MatmulAlgoConfigGetAttribute) \
  F(Matmul)

#define GG_TEXT_OF(x) #x
#define GG_TEXT(x) GG_TEXT_OF(x)
constexpr const char* kFile = "libcublasLt.so." GG_TEXT(CUBLAS_VER_MAJOR);
constexpr const char* kUsualPlace = "/usr/local/cuda/lib64/libcublasLt.so." GG_TEXT(CUBLAS_VER_MAJOR);

struct Library {
#define GG_MEMBER(name) decltype(&cublasLt##name) name = nullptr;
  GG_BLAS_FUNCTIONS(GG_MEMBER)
#undef GG_MEMBER
  bool complete = false;

  Library() {
    void* file = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
    if (!file) file = dlopen(kUsualPlace, RTLD_NOW | RTLD_LOCAL);
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

// ---------------------------------------------------------------- a GPU's handle
constexpr size_t kWorkspace = size_t{32} << 20;  // what NVIDIA recommends for its newest GPUs

struct Opened {
  bool tried = false;
  cublasLtHandle_t handle = nullptr;  // none: the library is missing or refuses this GPU
  void* workspace = nullptr;          // shared by all products: they run one after another
};

int current() {
  int index = 0;
  GG_CUDA_CHECK(cudaGetDevice(&index));
  return index;
}
// Work that is recorded as a graph cannot be timed, and no memory be taken.
bool is_recording() {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  GG_CUDA_CHECK(cudaStreamIsCapturing(stream(), &status));
  return status != cudaStreamCaptureStatusNone;
}

Opened& opened(int index) {
  static Opened all[16];
  Opened& device = all[index];
  if (!device.tried && !is_recording()) {
    device.tried = true;
    cublasLtHandle_t handle = nullptr;
    if (lt().complete && lt().Create(&handle) == CUBLAS_STATUS_SUCCESS) {
      device.workspace = take(kWorkspace, index);
      device.handle = handle;
    }
  }
  return device;
}

// ---------------------------------------------------------------- matrices as the library describes them
// By columns, `leading` elements from one to the next. A matrix (m, n) by rows is one of n rows and m
// columns; one by columns is as it is, and has to be turned.
struct Layout {
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
  const void *a_data, *b_data, *bias;
  void* y_data;
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
struct Plan {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, y = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
  bool usable = false;     // is there an algorithm?
  bool settled = false;    // and is it the one to keep?
  float microseconds = 0;  // 0: nobody timed it
  int proposed = 0;        // how many the library knew
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
void describe_product(const Problem& p, Plan& plan) {
  if (plan.product) return;
  plan.a = library_layout(p.b, p.batches);
  plan.b = library_layout(p.a, p.batches);
  plan.y = library_layout(p.y, p.batches);
  cublasLtMatmulDesc_t product = nullptr;
  GG_BLAS_CHECK(MatmulDescCreate, &product, compute_type(p.precision), CUDA_R_32F);
  set(product, CUBLASLT_MATMUL_DESC_TRANSA, int32_t(p.b.turned ? CUBLAS_OP_T : CUBLAS_OP_N));
  set(product, CUBLASLT_MATMUL_DESC_TRANSB, int32_t(p.a.turned ? CUBLAS_OP_T : CUBLAS_OP_N));
  if (p.bias) {  // one number for each row of yᵀ
    set(product, CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(CUBLASLT_EPILOGUE_BIAS));
    set(product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  }
  plan.product = product;
}

cublasStatus_t multiply(const Problem& p, const Plan& plan, const cublasLtMatmulAlgo_t& algorithm,
                        const Opened& device) {
  const float one = 1, none = 0;
  return lt().Matmul(device.handle, plan.product, &one, p.b_data, plan.a, p.a_data, plan.b, &none, p.y_data,
                     plan.y, p.y_data, plan.y, &algorithm, device.workspace, kWorkspace, stream());
}

// ---- the search
struct Proposals {
  static constexpr int kMost = 8;
  cublasLtMatmulAlgo_t algorithm[kMost];
  int count = 0;
};

// Parts of a sum that are added up in place come in an order of their own each time: not those.
constexpr uint32_t kReductions =
    CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE | CUBLASLT_REDUCTION_SCHEME_OUTPUT_TYPE;

Proposals proposals(const Problem& p, const Plan& plan, const Opened& device) {
  cublasLtMatmulPreference_t wish = nullptr;
  GG_BLAS_CHECK(MatmulPreferenceCreate, &wish);
  set(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t(kWorkspace));
  set(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kReductions);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, alignment_of(p.b_data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, alignment_of(p.a_data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(p.y_data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(p.y_data));
  cublasLtMatmulHeuristicResult_t results[Proposals::kMost] = {};
  int found = 0;
  const cublasStatus_t status = lt().MatmulAlgoGetHeuristic(
      device.handle, plan.product, plan.a, plan.b, plan.y, plan.y, wish, Proposals::kMost, results, &found);
  lt().MatmulPreferenceDestroy(wish);
  Proposals all;
  for (int i = 0; i < found && status == CUBLAS_STATUS_SUCCESS; ++i)
    if (results[i].state == CUBLAS_STATUS_SUCCESS) all.algorithm[all.count++] = results[i].algo;
  return all;
}

struct Event {
  cudaEvent_t event = nullptr;
  Event() { GG_CUDA_CHECK(cudaEventCreate(&event)); }
  ~Event() { cudaEventDestroy(event); }
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  void record() const { GG_CUDA_CHECK(cudaEventRecord(event, stream())); }
};

// Microseconds of one product, after a first one that is not counted; 0 if the algorithm fails.
float time_of(const Problem& p, const Plan& plan, const cublasLtMatmulAlgo_t& algorithm,
              const Opened& device) {
  constexpr int kRounds = 3;
  const Event begin, end;
  if (multiply(p, plan, algorithm, device) != CUBLAS_STATUS_SUCCESS) return 0;
  begin.record();
  for (int i = 0; i < kRounds; ++i)
    if (multiply(p, plan, algorithm, device) != CUBLAS_STATUS_SUCCESS) return 0;
  end.record();
  GG_CUDA_CHECK(cudaEventSynchronize(end.event));
  float milliseconds = 0;
  GG_CUDA_CHECK(cudaEventElapsedTime(&milliseconds, begin.event, end.event));
  return milliseconds * 1000 / kRounds;
}

bool may_time() {
  static const char* const set = std::getenv("GLASSGRAD_MATMUL_SEARCH");
  return !set || *set != '0';
}

// The library's order is a good guess: a later algorithm must win by more than the clock's noise.
void choose(const Problem& p, Plan& plan, const Opened& device) {
  constexpr float kClearly = 0.97f;
  const Proposals all = proposals(p, plan, device);
  plan.proposed = all.count;
  plan.usable = all.count > 0;
  if (!plan.usable) return;
  plan.algorithm = all.algorithm[0];
  if (!may_time()) return;
  float best = 0;
  for (int i = 0; i < all.count; ++i) {
    const float time = time_of(p, plan, all.algorithm[i], device);
    if (time == 0 || (best > 0 && time >= kClearly * best)) continue;
    best = time;
    plan.algorithm = all.algorithm[i];
  }
  plan.usable = best > 0;
  plan.microseconds = best;
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

// What a graph records is the library's first proposal, unless the shape has come before.
Plan& plan_of(const Problem& p, int index, const Opened& device) {
  Plan& plan = plans().all[key_of(p, index)];
  if (plan.settled) return plan;
  describe_product(p, plan);
  if (!is_recording()) {
    choose(p, plan, device);
    plan.settled = true;
  } else if (!plan.usable) {
    const Proposals all = proposals(p, plan, device);
    plan.usable = all.count > 0;
    if (plan.usable) plan.algorithm = all.algorithm[0];
  }
  return plan;
}

bool run(const Problem& p) {
  const int index = current();
  const Opened& device = opened(index);
  if (!device.handle) return false;
  const Plan& plan = plan_of(p, index, device);
  if (!plan.usable) return false;
  if (p.bias) set(plan.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  check(multiply(p, plan, plan.algorithm, device), "cublasLtMatmul");
  if (waits_for_kernels()) GG_CUDA_CHECK(cudaStreamSynchronize(stream()));
  return true;
}

// ---- as text
template <class V>
V config(const cublasLtMatmulAlgo_t& algorithm, cublasLtMatmulAlgoConfigAttributes_t attribute) {
  V value = 0;
  size_t written = 0;
  lt().MatmulAlgoConfigGetAttribute(&algorithm, attribute, &value, sizeof value, &written);
  return value;
}

std::string text_of(const Key& key, const Plan& plan) {
  static constexpr const char* kNames[] = {"fp32", "tf32", "bf16"};
  const auto number = [](auto n) { return std::to_string(n); };
  std::string text = "cuda:" + number(key[0]) + " " + kNames[key[1]] + " ";
  if (key[3] > 1) text += number(key[3]) + " times ";
  text += number(key[4]) + " x " + number(key[6]) + " by " + number(key[6]) + " x " + number(key[5]);
  text += key[9] ? ", a by columns" : "";
  text += key[12] ? ", b by columns" : "";
  text += key[2] ? ", bias" : "";
  if (!plan.usable) return text + ": no algorithm";
  const cublasLtMatmulAlgo_t& a = plan.algorithm;
  text += ": algorithm " + number(config<int32_t>(a, CUBLASLT_ALGO_CONFIG_ID)) + ", tile " +
          number(config<uint32_t>(a, CUBLASLT_ALGO_CONFIG_TILE_ID)) + ", stages " +
          number(config<uint32_t>(a, CUBLASLT_ALGO_CONFIG_STAGES_ID)) + ", k in " +
          number(config<int32_t>(a, CUBLASLT_ALGO_CONFIG_SPLITK_NUM)) + ", of " + number(plan.proposed);
  if (plan.microseconds > 0) text += ", " + number(int64_t(plan.microseconds + 0.5f)) + " us";
  return text;
}

}  // namespace

bool blas_product(const View& a, const View& b, const View& y, MatmulPrecision precision, const void* bias) {
  Problem p{};
  if (!describe(a, b, y, p)) return false;
  p.a_data = a.data, p.b_data = b.data, p.y_data = y.data;
  p.bias = bias;
  p.precision = precision;
  const std::lock_guard lock(plans().mutex);
  if (run(p)) return true;
  p.precision = MatmulPrecision::fp32;  // which it has for matrices of any alignment
  return precision != MatmulPrecision::fp32 && run(p);
}

std::string matmul_plans() {
  const std::lock_guard lock(plans().mutex);
  std::string text;
  for (const auto& [key, plan] : plans().all) text += text_of(key, plan) + "\n";
  return text;
}

}  // namespace glassgrad::cuda
