// Products of matrices and vectors: the threads of a block multiply shared tiles, and each element is one
// chain over k, as on the CPU. Halves are read as float32, and a half result is rounded once. Large products
// of float32 matrices and of halves go to cuBLASLt (blas.cu).
#include "../numbers/builtin.h"
#include "blas_layout.h"
#include "kernels.h"
#include "launch.h"
#include "scratch.h"

#ifdef GG_CUDA_EMULATED
#define GG_UNROLL
#else
#define GG_UNROLL _Pragma("unroll")
#endif

namespace glassgrad::cuda {
namespace {

using GG_ISA::fma;

struct Steps {  // strides from one batch, row, column to the next
  int64_t batch, row, column;
  explicit Steps(const View& x)
      : batch(x.shape.n > 2 ? x.strides[0] : 0),
        row(x.strides[x.shape.n - 2]),
        column(x.strides[x.shape.n - 1]) {}
};

// y = a·b, plus a bias. In and Out are the types in memory: of the matrices; of the result and the bias.
template <class In, class Out>
struct Product {
  // The type to compute in.
  using Number = Computed<In>;

  const In *a, *b;
  const Out* bias;
  Out* y;
  Steps step_a, step_b, step_y;
  int64_t batches, m, n, depth;
  int64_t tiles_across;  // of the result's columns

  Product(const View& a_, const View& b_, const View& y_, const void* bias_)
      : a(a_.as<const In>()),
        b(b_.as<const In>()),
        bias(static_cast<const Out*>(bias_)),
        y(y_.as<Out>()),
        step_a(a_),
        step_b(b_),
        step_y(y_),
        batches(y_.shape.n > 2 ? y_.shape[0] : 1),
        m(y_.shape[y_.shape.n - 2]),
        n(y_.shape[y_.shape.n - 1]),
        depth(a_.shape[a_.shape.n - 1]),
        tiles_across(0) {}

  __device__ void store(int64_t batch, int64_t row, int64_t column, Number sum) const {
    y[batch * step_y.batch + row * step_y.row + column * step_y.column] =
        Out(bias ? sum + Number(bias[column]) : sum);
  }
};

template <bool fused, class T>
__device__ T chain(T a, T b, T sum) {
  if constexpr (fused) return fma(a, b, sum);
  return sum + a * b;
}

// ---------------------------------------------------------------- tiles
constexpr int kSide = 16;  // a block has kSide × kSide threads
constexpr unsigned kThreads = kSide * kSide;

// The rows of a matrix that a tile of the result needs, `depth` numbers of each, in shared memory: ordered by
// k, so that a thread's rows are adjacent. Padding puts the k's of one row into different banks.
template <class T, int rows, int depth>
struct alignas(16) Panel {
  T at[depth][rows + 16 / sizeof(T)];

  // Neighbouring threads read neighbours in memory if the matrix is contiguous along either dimension.
  // Elements outside are 0.
  template <class In>
  __device__ void load(const In* x, int64_t row_step, int64_t k_step, int64_t rows_left, int64_t k_left) {
    const bool along_k = k_step == 1;
    for (int e = int(threadIdx.x); e < rows * depth; e += int(kThreads)) {
      const int row = along_k ? e / depth : e % rows, k = along_k ? e % depth : e / rows;
      at[k][row] = row < rows_left && k < k_left ? T(x[row * row_step + k * k_step]) : T(0);
    }
  }
};

// Each thread computes each × each neighbouring elements of the result.
template <bool fused, class T, int each, int depth>
struct Tile {
  static constexpr int kRows = kSide * each;
  T sum[each][each] = {};

  __device__ void advance(const Panel<T, kRows, depth>& a, const Panel<T, kRows, depth>& b, int k) {
    const int first_row = int(threadIdx.x) / kSide * each, first_column = int(threadIdx.x) % kSide * each;
    T row[each], column[each];
    for (int i = 0; i < each; ++i) row[i] = a.at[k][first_row + i];
    for (int j = 0; j < each; ++j) column[j] = b.at[k][first_column + j];
    for (int i = 0; i < each; ++i)
      for (int j = 0; j < each; ++j) sum[i][j] = chain<fused>(row[i], column[j], sum[i][j]);
  }

  template <class P>
  __device__ void store(const P& p, int64_t batch, int64_t row, int64_t column) const {
    row += int(threadIdx.x) / kSide * each;
    column += int(threadIdx.x) % kSide * each;
    for (int i = 0; i < each && row + i < p.m; ++i)
      for (int j = 0; j < each && column + j < p.n; ++j) p.store(batch, row + i, column + j, sum[i][j]);
  }
};

template <bool fused, class P, int each, int depth>
__global__ void __launch_bounds__(kThreads) tile_kernel(P p) {
  using T = typename P::Number;
  using Mine = Tile<fused, T, each, depth>;
  __shared__ Panel<T, Mine::kRows, depth> a, b;
  const int64_t row = blockIdx.x / p.tiles_across * Mine::kRows,
                column = blockIdx.x % p.tiles_across * Mine::kRows;
  for (int64_t batch = blockIdx.z; batch < p.batches; batch += gridDim.z) {
    const auto* const left = p.a + batch * p.step_a.batch + row * p.step_a.row;
    const auto* const right = p.b + batch * p.step_b.batch + column * p.step_b.column;
    Mine tile;
    for (int64_t k = 0; k < p.depth; k += depth) {
      const int64_t rest = p.depth - k;
      __syncthreads();  // wait for the previous step's readers
      a.load(left + k * p.step_a.column, p.step_a.row, p.step_a.column, p.m - row, rest);
      b.load(right + k * p.step_b.row, p.step_b.column, p.step_b.row, p.n - column, rest);
      __syncthreads();
      if (rest >= depth) {
        GG_UNROLL
        for (int i = 0; i < depth; ++i) tile.advance(a, b, i);
      } else {  // adding products of zeros would turn a sum of −0 into 0
        for (int i = 0; i < int(rest); ++i) tile.advance(a, b, i);
      }
    }
    tile.store(p, batch, row, column);
  }
}

int64_t up(int64_t a, int64_t b) { return (a + b - 1) / b; }

template <bool fused, int each, int depth, class P>
void run_tiles(P p) {
  constexpr int kRows = kSide * each;
  p.tiles_across = up(p.n, kRows);
  const int64_t tiles = up(p.m, kRows) * p.tiles_across, most_batches = 65535;
  const Grid grid{dim3(unsigned(tiles), 1, unsigned(p.batches < most_batches ? p.batches : most_batches)),
                  kThreads};
  launch("matmul", tile_kernel<fused, P, each, depth>, grid, p);
}

// Large tiles read their inputs less often. If there would be few of them, small tiles keep more of the GPU
// busy.
template <bool fused, class P>
void run_product(const P& p) {
  const int64_t large = up(p.m, 64) * up(p.n, 64) * p.batches;
  if (large >= multiprocessors())
    run_tiles<fused, 4, 16>(p);
  else
    run_tiles<fused, 1, 32>(p);
}

// ---------------------------------------------------------------- one row, or one column
// A warp for each element: each thread takes every 32nd k, then the threads' sums are added up.
template <class P>
__global__ void thin_kernel(P p) {
  using T = typename P::Number;
  const int64_t warps = threads_of_grid() / 32, elements = p.batches * p.m * p.n;
  const int lane = int(threadIdx.x % 32);
  for (int64_t e = first_of_thread() / 32; e < elements; e += warps) {
    const int64_t column = e % p.n, row = e / p.n % p.m, batch = e / (p.m * p.n);
    const auto* const left = p.a + batch * p.step_a.batch + row * p.step_a.row;
    const auto* const right = p.b + batch * p.step_b.batch + column * p.step_b.column;
    T sum = 0;
    for (int64_t k = lane; k < p.depth; k += 32)
      sum = chain<true>(T(left[k * p.step_a.column]), T(right[k * p.step_b.row]), sum);
    sum = over_warp(sum, Sum());
    if (lane == 0) p.store(batch, row, column, sum);
  }
}

// Pays off if both operands are contiguous along k and rows are long; short rows keep the CPU's chains.
constexpr int64_t kLongRow = 128;
template <class P>
bool is_thin(const P& p) {
  return (p.m == 1 || p.n == 1) && p.depth >= kLongRow && p.step_a.column == 1 && p.step_b.row == 1;
}
template <class P>
void run_fused(const P& p) {
  if (is_thin(p)) return launch("matmul", thin_kernel<P>, grid_of(p.batches * p.m * p.n * 32), p);
  run_product<true>(p);
}
template <class T>
void run_floats(const Product<T, T>& p, bool fused) {
  fused ? run_fused(p) : run_product<false>(p);
}
// A product of two halves is exact in float32, so it need not be rounded before the addition.
template <class Half>
void run_halves(const View& a, const View& b, const View& y, const void* bias) {
  if (y.dtype == DType::float32) return run_fused(Product<Half, float>(a, b, y, bias));
  run_fused(Product<Half, Half>(a, b, y, bias));
}

// ---------------------------------------------------------------- dot
// Each block adds up its products; sum_kernel then adds up the blocks' sums.
template <class T, class S>
__global__ void dot_kernel(int64_t n, const T* a, int64_t step_a, const T* b, int64_t step_b, S* sums) {
  S sum = 0;
  for (int64_t i = first_of_thread(); i < n; i += threads_of_grid())
    sum += S(T(a[i * step_a] * b[i * step_b]));
  sum = over_block(sum, S(0), Sum());
  if (threadIdx.x == 0) sums[blockIdx.x] = sum;
}
template <class T, class S>
__global__ void sum_kernel(int64_t n, const S* sums, T* y) {
  S sum = 0;
  for (int64_t i = threadIdx.x; i < n; i += blockDim.x) sum += sums[i];
  sum = over_block(sum, S(0), Sum());
  if (threadIdx.x == 0) *y = T(sum);
}

constexpr unsigned kDotThreads = 256;
constexpr int64_t kDotBlocks = 256, kOfBlock = kDotThreads * 16;

template <class T, class S>
void run_dot(const View& a, const View& b, const View& y) {
  const int64_t n = a.shape[0], wanted = up(n, kOfBlock);
  const int64_t blocks = wanted < 1 ? 1 : wanted < kDotBlocks ? wanted : kDotBlocks;
  const Scratch<S> sums(blocks);
  launch("dot", dot_kernel<T, S>, {dim3(unsigned(blocks)), kDotThreads}, n, a.as<const T>(), a.strides[0],
         b.as<const T>(), b.strides[0], sums.get());
  launch("dot", sum_kernel<T, S>, {dim3(1), kDotThreads}, blocks, sums.get(), y.as<T>());
}

}  // namespace

namespace {

void count_product(const View& a, const View& b, const View& y, const void* bias) {
  Problem p;
  const bool suits = p.describe(a, b, y, bias) && p.aligned();
  const bool by_units = a.dtype != DType::int64 && a.dtype != DType::float64 && p.m > 1 && p.n > 1;
  gpu::add_work({.bytes = bias ? p.n * item_size(y.dtype) : 0,
                 .products = 1,
                 .unaligned_products = by_units && !suits});
}

}  // namespace

void matmul(const View& a, const View& b, const View& y, MatmulArithmetic arithmetic,
            MatmulPrecision precision, const void* bias) {
  if (y.shape.numel() == 0) return;
  count_product(a, b, y, bias);
  const bool fused = arithmetic != MatmulArithmetic::Rounded;
  if (y.dtype == DType::int64)  // wraps around
    return run_product<false>(Product<uint64_t, uint64_t>(a, b, y, bias));
  if (y.dtype == DType::float64) return run_floats(Product<double, double>(a, b, y, bias), fused);
  if (blas_product(a, b, y, precision, bias)) return;
  if (a.dtype == DType::bfloat16) return run_halves<bfloat16_t>(a, b, y, bias);
  if (a.dtype == DType::float16) return run_halves<float16_t>(a, b, y, bias);
  run_floats(Product<float, float>(a, b, y, bias), fused);
}

void multiply_vector(const View& a, const View& x, const View& y) {
  matmul(a, x, y, MatmulArithmetic::Fused, MatmulPrecision::fp32, nullptr);
}

void dot(const View& a, const View& b, const View& y) {
  if (y.dtype == DType::int64) return run_dot<uint64_t, uint64_t>(a, b, y);
  if (y.dtype == DType::float64) return run_dot<double, double>(a, b, y);
  run_dot<float, double>(a, b, y);
}

}  // namespace glassgrad::cuda
