// cuBLASLt, opened where it is wanted. It knows matrices by columns, so y = a·b by rows is asked for as
// yᵀ = bᵀ·aᵀ: a matrix by rows is, in its eyes, the transposed one by columns, and nothing is moved.
#include <array>
#include <cstdlib>
#include <map>
#include <mutex>

#include "../core/gpu.h"
#include "bf16.h"
#include "blas.h"
#include "blas_library.h"
#include "fingerprint.h"
#include "launch.h"
#include "scratch.h"

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
struct Layout : Columns {
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
// How a product is asked for: on its matrices as they are, or on copies that are rounded to bf16 before.
struct Way {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, y = nullptr;
  bool rounded = false;
};
struct Plan {
  Way way;
  cublasLtMatmulAlgo_t algorithm = {};
  bool usable = false;     // is there an algorithm?
  bool settled = false;    // and is it the one to keep?
  float microseconds = 0;  // 0: nobody timed it
  int proposed = 0;        // how many the library knew
};

cublasLtMatrixLayout_t library_layout(const Columns& x, int64_t batches, cudaDataType_t type) {
  cublasLtMatrixLayout_t layout = nullptr;
  GG_BLAS_CHECK(MatrixLayoutCreate, &layout, type, uint64_t(x.rows), uint64_t(x.columns), x.leading);
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
Way way_of(const Problem& p, bool rounded) {
  Way way;
  way.rounded = rounded;
  const cudaDataType_t type = rounded ? CUDA_R_16BF : CUDA_R_32F;
  const auto lies = [&](const Columns& x) { return rounded ? rounded_columns(x) : x; };
  way.a = library_layout(lies(p.b), p.batches, type);
  way.b = library_layout(lies(p.a), p.batches, type);
  way.y = library_layout(p.y, p.batches, CUDA_R_32F);
  GG_BLAS_CHECK(MatmulDescCreate, &way.product, rounded ? CUBLAS_COMPUTE_32F : compute_type(p.precision),
                CUDA_R_32F);
  set(way.product, CUBLASLT_MATMUL_DESC_TRANSA, int32_t(p.b.turned ? CUBLAS_OP_T : CUBLAS_OP_N));
  set(way.product, CUBLASLT_MATMUL_DESC_TRANSB, int32_t(p.a.turned ? CUBLAS_OP_T : CUBLAS_OP_N));
  if (p.bias) {  // one number for each row of yᵀ
    set(way.product, CUBLASLT_MATMUL_DESC_EPILOGUE, uint32_t(CUBLASLT_EPILOGUE_BIAS));
    set(way.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  }
  return way;
}
void forget(const Way& way) {
  lt().MatmulDescDestroy(way.product);
  for (const cublasLtMatrixLayout_t layout : {way.a, way.b, way.y}) lt().MatrixLayoutDestroy(layout);
}

cublasStatus_t multiply(const Problem& p, const Way& way, const cublasLtMatmulAlgo_t& algorithm,
                        const Opened& device) {
  const float one = 1, none = 0;
  const auto run = [&](const void* a, const void* b) {
    return lt().Matmul(device.handle, way.product, &one, b, way.a, a, way.b, &none, p.y_data, way.y, p.y_data,
                       way.y, &algorithm, device.workspace, kWorkspace, stream());
  };
  if (!way.rounded) return run(p.a_data, p.b_data);
  const auto size = [&](const Columns& x) {
    const Columns to = rounded_columns(x);
    return to.leading * to.columns * (to.batch == 0 ? 1 : p.batches);
  };
  const Scratch<uint16_t> a(size(p.a)), b(size(p.b));
  round_to_bf16(p.a_data, p.a, p.batches, a.get());
  round_to_bf16(p.b_data, p.b, p.batches, b.get());
  return run(a.get(), b.get());
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

Proposals proposals(const Problem& p, const Way& way, const Opened& device) {
  cublasLtMatmulPreference_t wish = nullptr;
  GG_BLAS_CHECK(MatmulPreferenceCreate, &wish);
  set(wish, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, uint64_t(kWorkspace));
  set(wish, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, kReductions);
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, way.rounded ? 256u : alignment_of(p.b_data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES, way.rounded ? 256u : alignment_of(p.a_data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, alignment_of(p.y_data));
  set(wish, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES, alignment_of(p.y_data));
  cublasLtMatmulHeuristicResult_t results[Proposals::kMost] = {};
  int found = 0;
  const cublasStatus_t status = lt().MatmulAlgoGetHeuristic(device.handle, way.product, way.a, way.b, way.y,
                                                            way.y, wish, Proposals::kMost, results, &found);
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
float time_of(const Problem& p, const Way& way, const cublasLtMatmulAlgo_t& algorithm, const Opened& device) {
  constexpr int kRounds = 3;
  const Event begin, end;
  if (multiply(p, way, algorithm, device) != CUBLAS_STATUS_SUCCESS) return 0;
  begin.record();
  for (int i = 0; i < kRounds; ++i)
    if (multiply(p, way, algorithm, device) != CUBLAS_STATUS_SUCCESS) return 0;
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

// A run of the program must have the bits of the run before, whatever the clock says: only algorithms are
// taken whose result is that of the first one that works, bit for bit. Results of zeros tell nothing.
struct Choice {
  bool has_first = false;
  Fingerprint first{};

  bool allows(const Problem& p) {
    const int64_t n = p.batches * p.m * p.n;
    const Fingerprint now = fingerprint_of(p.y_data, n);
    if (!has_first) {
      first = now;
      return has_first = true;
    }
    return now == first && 2 * now.not_zero > uint64_t(n);
  }
};

// The fastest of the way's algorithms, or untimed the first; the library's order is a good guess.
bool choose(const Problem& p, bool rounded, Plan& plan, const Opened& device, bool timed) {
  const Way way = way_of(p, rounded);
  const Proposals all = proposals(p, way, device);
  Choice choice;
  for (int i = 0; i < all.count && (timed || !plan.usable); ++i) {
    const float time = timed ? time_of(p, way, all.algorithm[i], device) : 0;
    if (timed && (time == 0 || !choice.allows(p) || (plan.usable && time >= plan.microseconds))) continue;
    plan.algorithm = all.algorithm[i];
    plan.microseconds = time;
    plan.usable = true;
  }
  plan.proposed = all.count;
  plan.usable ? void(plan.way = way) : forget(way);
  return plan.usable;
}

// Copies that are rounded before take half the memory and let the tensor cores run at twice the speed, but
// first they have to be made: worth it where the product is large beside its matrices. Speeds of an H200.
bool is_rounded_before(const Problem& p) {
  if (p.precision != MatmulPrecision::bf16) return false;
  const double m = double(p.m), n = double(p.n), k = double(p.depth);
  const double saved = 2 * m * n * k * double(p.batches) * (1 / 350e12 - 1 / 650e12);
  const double spent = 6e-6 + 6 * (m * k + k * n) * double(p.batches) / 4e12;
  return saved > spent;
}

Plan searched(const Problem& p, const Opened& device, bool timed) {
  Plan plan;
  const bool rounded = is_rounded_before(p);
  if (choose(p, rounded, plan, device, timed) || p.precision != MatmulPrecision::bf16) return plan;
  choose(p, !rounded, plan, device, timed);
  return plan;
}

// Never destroyed: static tensors may still compute.
struct Plans {
  std::mutex mutex;
  std::map<Key, Plan> all;
  int timed = 0;
};
Plans& plans() {
  static Plans* const kept = new Plans;
  return *kept;
}

// A text that grows word by word brings new shapes all the time: those after so many are not timed.
constexpr int kMostTimed = 256;

// What a graph records is the library's first proposal, unless the shape has come before.
Plan& plan_of(const Problem& p, int index, const Opened& device) {
  Plan& plan = plans().all[key_of(p, index)];
  if (plan.settled) return plan;
  const bool recording = gpu::is_capturing();
  if (recording && plan.usable) return plan;
  if (plan.way.product) forget(plan.way);
  plan = {};
  const bool timed = may_time() && !recording && plans().timed < kMostTimed;
  if (timed) ++plans().timed;
  plan = searched(p, device, timed);
  plan.settled = !recording;
  return plan;
}

bool run(const Problem& p) {
  const int index = current_device();
  const Opened& device = opened(index);
  if (!device.handle) return false;
  Plan& plan = plan_of(p, index, device);
  if (!plan.usable) return false;
  if (p.bias) set(plan.way.product, CUBLASLT_MATMUL_DESC_BIAS_POINTER, p.bias);
  const cublasStatus_t status = multiply(p, plan.way, plan.algorithm, device);
  if (status == CUBLAS_STATUS_NOT_SUPPORTED) return plan.usable = false;  // proposed, but not timed
  check(status, "cublasLtMatmul");
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
  text += plan.way.rounded ? ", rounded before" : "";
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
  p.a_data = a.as<const float>(), p.b_data = b.as<const float>(), p.y_data = y.as<float>();
  p.bias = static_cast<const float*>(bias);
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
