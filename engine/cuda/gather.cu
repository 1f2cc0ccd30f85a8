// Looks up elements along one dimension, and adds gradients back to them.
#include "kernels.h"
#include "order.h"

namespace glassgrad::cuda {

// ---- checks that indices are in range
namespace {
struct Found {
  unsigned long long first;  // the largest number means: none
  unsigned long long ignored;
};
void look_through(const View& indices, int64_t low, int64_t high, bool ignores, int64_t ignored,
                  Found* found) {
  const Nest nest(indices.shape, {indices.strides});
  const auto* const at = indices.as<const int64_t>();
  each("check_indices", indices.shape.numel(), [=] __device__(int64_t i) {
    const auto place = nest.at(i);
    const int64_t index = at[place[0]];
    if (ignores && index == ignored)
      atomicAdd(&found->ignored, 1ull);
    else if (index < low || index >= high)
      atomicMin(&found->first, static_cast<unsigned long long>(i));
  });
}
}  // namespace

IndexCheckResult check_indices(const View& indices, int64_t low, int64_t high, const int64_t* ignored) {
  if (gpu::is_capturing()) return {};
  const Scratch<Found> found(1);
  fill_bytes(&found.get()->first, 0xff, sizeof(found.get()->first));
  fill_bytes(&found.get()->ignored, 0, sizeof(found.get()->ignored));
  look_through(indices, low, high, ignored, ignored ? *ignored : 0, found.get());
  const Found f = read_back(found.get());
  return {int64_t(f.first), int64_t(f.ignored)};  // the largest number becomes −1
}

// ---- gather
namespace {

template <class T>
void gather_of(const T* x, const int64_t* at, T* y, int64_t n, int64_t stride, Nest<2> nest) {
  each("gather", n, [=] __device__(int64_t i) {
    const auto place = nest.at(i);
    y[i] = x[place[0] + at[place[1]] * stride];
  });
}

// A thread for each line adds up all elements that go to it.
template <class T>
void scatter_lines(T* y, const int64_t* at, const T* source, int64_t lines, int64_t length, int64_t stride,
                   Nest<3> nest, int64_t index_step, int64_t source_step) {
  each("scatter_add", lines, [=] __device__(int64_t line) {
    const auto place = nest.at(line);
    for (int64_t i = 0; i < length; ++i) {
      T& to = y[place[0] + at[place[1] + i * index_step] * stride];
      to = T(to + source[place[2] + i * source_step]);
    }
  });
}

void fill_places(uint64_t* keys, const int64_t* at, int64_t n, int64_t stride, Nest<2> nest) {
  each("scatter_places", n, [=] __device__(int64_t i) {
    const auto place = nest.at(i);
    keys[i] = uint64_t(place[0] + at[place[1]] * stride);
  });
}

}  // namespace

void gather(const View& lines, int64_t stride, const View& indices, const View& y) {
  const Nest nest(y.shape, {lines.strides, indices.strides});
  by_size(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    gather_of(lines.as<const T>(), indices.as<const int64_t>(), y.as<T>(), y.shape.numel(), stride, nest);
  });
}

void scatter_add(const View& lines, int64_t stride, int dim, const View& indices, const View& source) {
  constexpr int64_t kManyLines = 4096, kShortLine = 16;
  const int64_t n = indices.shape.numel(), length = indices.shape.n ? indices.shape.v[dim] : 1;
  if (n == 0) return;
  if (n / length < kManyLines && length > kShortLine) {
    Destinations d{KeySorter(1, n), 1, Nest(indices.shape, {source.strides}), {}};
    fill_places(d.keys(), indices.as<const int64_t>(), n, stride,
                Nest(indices.shape, {lines.strides, indices.strides}));
    return put_in_order(lines, d, source.data, true);
  }
  Dims shape = indices.shape;
  if (shape.n) shape.v[dim] = 1;
  const Nest nest(shape, {lines.strides, indices.strides, source.strides});
  const int64_t index_step = shape.n ? indices.strides.v[dim] : 0,
                source_step = shape.n ? source.strides.v[dim] : 0;
  all_types(lines.dtype, [&](auto zero) {
    using T = decltype(zero);
    scatter_lines(lines.as<T>(), indices.as<const int64_t>(), source.as<const T>(), n / length, length,
                  stride, nest, index_step, source_step);
  });
}

// ---- embedding
namespace {

template <class T>
struct alignas(16) Pack {
  T v[16 / sizeof(T)];
};

// T: an element, or a pack of them where all rows begin at multiples of 16 bytes.
template <class T>
void copy_rows(const T* weight, int64_t row_step, int64_t step, const int64_t* at, int64_t n, int64_t width,
               T* y) {
  each("embedding", n * width, [=] __device__(int64_t i) {
    const int64_t k = quotient(i, width);
    y[i] = weight[at[k] * row_step + (i - k * width) * step];
  });
}

void fill_rows(uint64_t* keys, const int64_t* at, int64_t n, int64_t width, int64_t padding) {
  each("embedding_rows", n, [=] __device__(int64_t i) {
    keys[i] = at[i] == padding ? Destinations::kNowhere : uint64_t(at[i] * width);
  });
}

}  // namespace

void embedding(const View& weight, const View& indices, const View& y) {
  const int64_t n = indices.shape.numel(), width = weight.shape.v[1];
  const int64_t row_step = weight.strides.v[0], step = weight.strides.v[1];
  const auto* const at = indices.as<const int64_t>();
  by_size(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    constexpr int64_t kPack = 16 / sizeof(T);
    const bool packed = step == 1 && width % kPack == 0 && row_step % kPack == 0 &&
                        reinterpret_cast<uintptr_t>(weight.data) % 16 == 0 &&
                        reinterpret_cast<uintptr_t>(y.data) % 16 == 0;
    if (packed)
      copy_rows(weight.as<const Pack<T>>(), row_step / kPack, 1, at, n, width / kPack, y.as<Pack<T>>());
    else
      copy_rows(weight.as<const T>(), row_step, step, at, n, width, y.as<T>());
  });
}

void embedding_grad(const View& g, const View& indices, int64_t padding, const View& y) {
  const int64_t n = indices.shape.numel(), width = y.shape.v[1];
  if (n == 0 || width == 0) return;
  Destinations d{KeySorter(1, n), width, Nest<1>({n}, {{width}}), Nest<2>({width}, {{1}, {1}})};
  fill_rows(d.keys(), indices.as<const int64_t>(), n, width, padding);
  put_in_order(y, d, g.data, true);
}

}  // namespace glassgrad::cuda
