// Attention in tiles: the scores of a few queries and keys at a time, which stay in the cache, so that no
// matrix of all scores is ever written. A softmax over keys that are still to come is carried along by its
// maximum and sum so far; the backward makes the weights anew from these.
#include "kernels.h"
#include "parallel.h"
#include "product.h"
#include "rows.h"

namespace glassgrad::GG_ISA {
namespace {

constexpr int64_t kQueries = 128, kKeys = 64;

template <class T>
constexpr T kInfinity = T(__builtin_inf());

// The matrix of a head in a tensor (…, rows, columns).
template <class T>
Matrix<T> head_of(const View& x, int64_t head) {
  int64_t place = 0;
  for (int d = x.shape.n - 3; d >= 0; --d) {
    place += head % x.shape[d] * x.strides[d];
    head /= x.shape[d];
  }
  return {x.as<T>() + place, {x.strides[x.shape.n - 2], x.strides[x.shape.n - 1]}};
}

template <class T>
struct Head {
  Matrix<const T> q, k, v;
  Matrix<const T> added;     // to the scores, if it has data
  Matrix<const bool> taken;  // which keys take part, if it has data
  int64_t queries, keys, width, value_width;
  T scale;
  bool causal;

  Head(const AttentionInputs& in, int64_t head)
      : q(head_of<const T>(in.q, head)),
        k(head_of<const T>(in.k, head)),
        v(head_of<const T>(in.v, head)),
        added{nullptr, {}},
        taken{nullptr, {}},
        queries(in.q.shape[in.q.shape.n - 2]),
        keys(in.k.shape[in.k.shape.n - 2]),
        width(in.q.shape[in.q.shape.n - 1]),
        value_width(in.v.shape[in.v.shape.n - 1]),
        scale(T(in.scale)),
        causal(in.causal) {
    if (in.mask.data && in.mask.dtype == boolean) taken = head_of<const bool>(in.mask, head);
    if (in.mask.data && in.mask.dtype != boolean) added = head_of<const T>(in.mask, head);
  }
  // Of the keys of a tile, those that a query sees come first.
  int64_t seen(int64_t query, int64_t first_key, int64_t count) const {
    return causal ? most(0, least(count, query + 1 - first_key)) : count;
  }
  // How many keys of a tile its first query sees, beside the first one.
  int64_t ahead(int64_t first_query, int64_t first_key) const {
    return causal ? first_query - first_key : kKeys;
  }
};

// A row of a tile is worked on in groups of so many numbers, whatever the processor's vectors: so sums are
// the same on all. Rows have room for whole groups.
template <class T>
constexpr int64_t kGroup = 64 / int64_t(sizeof(T));
template <class T>
int64_t in_groups(int64_t n) {
  return up(n, kGroup<T>) * kGroup<T>;
}

constexpr int kParts = 64 / kWideBytes;  // vectors of a group

// What the keys of a tile are in a product: columns of the result, what its chains run over, or its rows.
// Query number i of the tile sees the keys up to number i + ahead; all others weigh nothing.
struct Keys {
  enum class Are : uint8_t { Columns, Depth, Rows } are;
  int64_t ahead;
};

// y = a·b, or y += a·b: what queries see of it. The columns of keys end with a group.
template <class T>
void product(const Matrix<const T>& a, const Matrix<const T>& b, T* y, int64_t ldy, int64_t m, int64_t n,
             int64_t depth, bool onto, Keys keys) {
  for (int64_t i = 0; depth == 0 && !onto && i < m; ++i)
    for (int64_t j = 0; j < n; ++j) y[i * ldy + j] = 0;
  const int64_t columns = most_columns<T>(block_of(a, depth));
  for (int64_t j = 0; j < n; j += columns) {
    const int64_t width = least(n - j, columns);
    const auto seen = [&](int64_t i, int64_t rows) -> Extent {
      const int64_t last = i + rows + keys.ahead;  // behind the keys that these queries see
      if (keys.are == Keys::Are::Columns) return {least(width, in_groups<T>(last) - j), 0, depth};
      if (keys.are == Keys::Are::Depth) return {width, 0, least(depth, last)};
      return {width, least(depth, most(0, i - keys.ahead)), depth};
    };
    block_product<Chain::Fused, T>(a, b.from(0, j), y + j, ldy, m, width, depth, onto, nullptr, {m}, seen,
                                   [](int64_t, int64_t) {});
  }
}

// f(vector number within its group, i) for the vectors of a row.
template <class T, class F>
GG_INLINE void for_each_wide(int64_t n, F f) {
  for (int64_t i = 0; i < n; i += kGroup<T>)
    GG_UNROLL for (int v = 0; v < kParts; ++v) f(v, i + v * kWide<T>);
}

// The lanes of a group become one number, halves first.
template <class T, class F>
GG_INLINE T folded(T (&lanes)[kGroup<T>], F f) {
  GG_UNROLL for (int64_t half = kGroup<T> / 2; half > 0; half /= 2)
      GG_UNROLL for (int64_t i = 0; i < half; ++i) lanes[i] = f(lanes[i], lanes[i + half]);
  return lanes[0];
}

// x, −∞ in place of the numbers from `end` on, where x[0] has number i.
template <class T>
GG_INLINE Wide<T> ended(const Wide<T>& x, int64_t i, int64_t end) {
  static constexpr T kNumbers[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
  return load_wide(kNumbers) + T(i) < T(end) ? x : Wide<T>{} - kInfinity<T>;
}

// Makes scores of a query with the keys that it sees what the softmax takes: scaled, masked, −∞ behind the
// last one in its group. Returns the largest that is no NaN.
template <class T>
T mask_row(const Head<T>& h, int64_t query, int64_t first_key, int64_t seen, T* scores) {
  // A scale that is not positive must not turn −∞ into another number.
  const bool scales = h.scale > 0 && !h.added.data;
  for (int64_t j = 0; !scales && j < seen; ++j)
    scores[j] = scores[j] * h.scale + (h.added.data ? h.added.at(query, first_key + j) : T(0));
  for (int64_t j = 0; h.taken.data && j < seen; ++j)
    if (!h.taken.at(query, first_key + j)) scores[j] = -kInfinity<T>;
  Wide<T> top[kParts];
  for (Wide<T>& t : top) t = Wide<T>{} - kInfinity<T>;
  const T scale = scales ? h.scale : T(1);
  for_each_wide<T>(seen, [&](int v, int64_t i) {
    const Wide<T> s = ended<T>(load_wide(scores + i) * scale, i, seen);
    store_wide(scores + i, s);
    top[v] = s > top[v] ? s : top[v];
  });
  T lanes[kGroup<T>];
  for (int v = 0; v < kParts; ++v) store_wide(lanes + v * kWide<T>, top[v]);
  return folded(lanes, [](T a, T b) { return a > b ? a : b; });
}

template <class T>
void tile_of_scores(const Head<T>& h, int64_t first_query, int64_t queries, int64_t first_key, int64_t keys,
                    T* scores, T* highest) {
  product<T>(h.q.from(first_query, 0), h.k.from(first_key, 0).transposed(), scores, kKeys, queries, keys,
             h.width, false, {Keys::Are::Columns, h.ahead(first_query, first_key)});
  for (int64_t i = 0; i < queries; ++i)
    highest[i] =
        mask_row(h, first_query + i, first_key, h.seen(first_query + i, first_key, keys), scores + i * kKeys);
}

// Zeros for what a query does not see of a row of `count` keys, behind the last group that it does.
template <class T>
GG_INLINE void clear_unseen(T* row, int64_t seen, int64_t count) {
  for (int64_t j = in_groups<T>(seen); j < count; j += kWide<T>) store_wide(row + j, Wide<T>{});
}

// ---------------------------------------------------------------- forward
template <class T>
GG_INLINE void scale_row(T* x, int64_t n, T factor) {
  for_each<T>(n, [&](const auto& zero, int64_t j) {
    auto v = zero;
    get(x + j, v);
    put(x + j, v * factor);
  });
}

// What is known of a query's weights so far: the largest score, and the sum in lanes.
template <class T>
struct SoFar {
  T top = -kInfinity<T>;
  T sum[kGroup<T>] = {};
};

// n scores become weights that are not divided yet by their sum; `highest` is the largest of these scores.
// The result is what earlier weights are to be multiplied by.
template <class T>
T absorb(T* scores, int64_t n, T highest, SoFar<T>& row) {
  highest = highest > row.top ? highest : row.top;
  const T shift = highest == -kInfinity<T> ? T(0) : highest;  // no key has been seen: all weights are 0
  // Most often one that needs no exp.
  const T fade = row.top == highest ? T(1) : row.top == -kInfinity<T> ? T(0) : exp(row.top - shift);
  row.top = highest;
  Wide<T> sums[kParts];
  for (int v = 0; v < kParts; ++v) sums[v] = load_wide(row.sum + v * kWide<T>) * fade;
  for_each_wide<T>(n, [&](int v, int64_t i) {
    const Wide<T> weight = exp(load_wide(scores + i) - shift);
    store_wide(scores + i, weight);
    sums[v] += weight;
  });
  for (int v = 0; v < kParts; ++v) store_wide(row.sum + v * kWide<T>, sums[v]);
  return fade;
}

// The rows first … first+n of a head; y's columns lie side by side.
template <class T>
void attend(const Head<T>& h, int64_t first, int64_t n, T* y, int64_t ldy, T* log_sums) {
  alignas(64) T weights[kQueries * kKeys];
  T highest[kQueries];
  SoFar<T> so_far[kQueries];
  const int64_t last_key = h.causal ? least(h.keys, first + n) : h.keys;
  for (int64_t key = 0; key < last_key; key += kKeys) {
    const int64_t keys = least(last_key - key, kKeys);
    const int64_t from = h.causal ? most(0, key - first) : 0;  // earlier rows see none of these keys
    T* const tile = weights + from * kKeys;
    tile_of_scores(h, first + from, n - from, key, keys, tile, highest + from);
    for (int64_t i = from; i < n; ++i) {
      const int64_t seen = h.seen(first + i, key, keys);
      const T fade = absorb(weights + i * kKeys, seen, highest[i], so_far[i]);
      clear_unseen(weights + i * kKeys, seen, keys);
      if (key > 0 && fade != 1) scale_row(y + i * ldy, h.value_width, fade);
    }
    product<T>({tile, {kKeys, 1}}, h.v.from(key, 0), y + from * ldy, ldy, n - from, h.value_width, keys,
               key > 0, {Keys::Are::Depth, h.ahead(first + from, key)});
  }
  T sums[kQueries];
  for (int64_t i = 0; i < n; ++i) {
    sums[i] = folded(so_far[i].sum, [](T a, T b) { return a + b; });
    highest[i] = so_far[i].top;
    if (sums[i] == 0)
      for (int64_t j = 0; j < h.value_width; ++j) y[i * ldy + j] = 0;
    else
      scale_row(y + i * ldy, h.value_width, 1 / sums[i]);
  }
  for_each<T>(n, [&](const auto& zero, int64_t i) {
    auto sum = zero, top = zero;
    get(sums + i, sum);
    get(highest + i, top);
    put(log_sums + i, sum == 0 ? zero : top + log(sum));
  });
}

int64_t heads_of(const View& x) {
  int64_t heads = 1;
  for (int d = 0; d < x.shape.n - 2; ++d) heads *= x.shape[d];
  return heads;
}

void attention(const AttentionInputs& in, const View& y, const View& log_sums) {
  floats(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t queries = y.shape[y.shape.n - 2], tiles = up(queries, kQueries);
    parallel(heads_of(y) * tiles, piece_of(least(queries, kQueries) * in.k.shape[in.k.shape.n - 2]),
             [&](int64_t at, int64_t end) {
               for (; at < end; ++at) {
                 const int64_t head = at / tiles, first = at % tiles * kQueries;
                 const Matrix<T> out = head_of<T>(y, head);
                 attend(Head<T>(in, head), first, least(queries - first, kQueries), &out.at(first, 0),
                        out.stride.row, log_sums.as<T>() + head * queries + first);
               }
             });
  });
}

// ---------------------------------------------------------------- backward
// From the weights p and the gradients g of these, in place: that of the scaled scores, p ⊙ (g − Σ
// p⊙g)·scale; the sum is given.
template <class T>
void score_gradient(const T* p, T* g, int64_t n, T sum, T scale) {
  for_each_wide<T>(
      n, [&](int, int64_t i) { store_wide(g + i, load_wide(p + i) * (load_wide(g + i) - sum) * scale); });
}

template <class T>
struct Gradients {
  Matrix<const T> g;         // of the result
  const T *log_sums, *sums;  // of each query; Σ g⊙y, which is Σ of its weights times theirs
  Matrix<T> dq, dk, dv;      // columns side by side
};

// What a tile of queries and keys adds to the three gradients.
template <class T>
void add_tile(const Head<T>& h, const Gradients<T>& d, int64_t query, int64_t n, int64_t key, int64_t keys) {
  alignas(64) T weights[kQueries * kKeys];
  alignas(64) T slopes[kQueries * kKeys];
  T highest[kQueries];
  tile_of_scores(h, query, n, key, keys, weights, highest);
  const int64_t ahead = h.ahead(query, key);
  const Keys columns{Keys::Are::Columns, ahead}, chains{Keys::Are::Depth, ahead},
      rows{Keys::Are::Rows, ahead};
  const Matrix<const T> g = d.g.from(query, 0), p{weights, {kKeys, 1}}, slope{slopes, {kKeys, 1}};
  product<T>(g, h.v.from(key, 0).transposed(), slopes, kKeys, n, keys, h.value_width, false, columns);
  for (int64_t i = 0; i < n; ++i) {
    T *const weight = weights + i * kKeys, *const gradient = slopes + i * kKeys;
    const int64_t seen = h.seen(query + i, key, keys);
    const T log_sum = d.log_sums[query + i];
    for_each_wide<T>(seen,
                     [&](int, int64_t j) { store_wide(weight + j, exp(load_wide(weight + j) - log_sum)); });
    score_gradient(weight, gradient, seen, d.sums[query + i], h.scale);
    clear_unseen(weight, seen, keys);
    clear_unseen(gradient, seen, keys);
  }
  product<T>(p.transposed(), g, &d.dv.at(key, 0), d.dv.stride.row, keys, h.value_width, n, true, rows);
  product<T>(slope, h.k.from(key, 0), &d.dq.at(query, 0), d.dq.stride.row, n, h.width, keys, true, chains);
  product<T>(slope.transposed(), h.q.from(query, 0), &d.dk.at(key, 0), d.dk.stride.row, keys, h.width, n,
             true, rows);
}

// Of a head's tiles of keys every so many-th, which share their dq: the work of one thread.
template <class T>
void attend_grad(const Head<T>& h, const Gradients<T>& d, int64_t part, int64_t parts) {
  for (int64_t key = part * kKeys; key < h.keys; key += parts * kKeys)
    for (int64_t query = h.causal ? key : 0; query < h.queries; query += kQueries)
      add_tile(h, d, query, least(h.queries - query, kQueries), key, least(h.keys - key, kKeys));
}

void attention_grad(const AttentionInputs& in, const View& g, const View& log_sums, const View& sums,
                    const View& dq, const View& dk, const View& dv) {
  floats(g.dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t queries = g.shape[g.shape.n - 2], keys = in.k.shape[in.k.shape.n - 2];
    const int64_t heads = heads_of(g), parts = heads_of(dq) / heads;
    parallel(heads * parts, piece_of(queries * (keys / parts)), [&](int64_t at, int64_t end) {
      for (; at < end; ++at) {
        const int64_t head = at / parts, part = at % parts;
        attend_grad(Head<T>(in, head),
                    {head_of<const T>(g, head), log_sums.as<const T>() + head * queries,
                     sums.as<const T>() + head * queries, head_of<T>(dq, part * heads + head),
                     head_of<T>(dk, head), head_of<T>(dv, head)},
                    part, parts);
      }
    });
  });
}

}  // namespace

void fill_attention(Kernels& k) {
  k.attention = attention;
  k.attention_grad = attention_grad;
}

}  // namespace glassgrad::GG_ISA
