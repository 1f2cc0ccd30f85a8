// Attention by rows: the scores of some queries with all keys stay in an outer cache until they have become
// weights and been multiplied with the values, so the matrix of all scores is never written. The backward
// recomputes the weights. Each element of a product is one chain of fma, and each row's softmax is computed
// as by the op. So wherever rows and keys are cut, the results have the bits of attention composed of ops
// (ops/attention.cpp).
#include "../core/nest.h"
#include "kernels.h"
#include "parallel.h"
#include "product.h"
#include "softmax_row.h"

namespace glassgrad::GG_ISA {
namespace {

template <class T>
constexpr T kInfinity = T(__builtin_inf());

// 0, 1, …: the numbers of a vector's lanes.
template <class T>
constexpr T kCounted[16] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};

// The matrix of a head in a tensor (…, rows, columns).
template <class T>
Matrix<T> head_of(const View& x, int64_t head) {
  Nest<1> heads;
  for (int d = 0; d < x.shape.n - 2; ++d) heads.push(x.shape, {x.strides}, d);
  return {x.as<T>() + heads.at(head)[0], {x.strides[x.shape.n - 2], x.strides[x.shape.n - 1]}};
}

template <class T>
struct Head {
  Matrix<const T> q, k, v;
  Matrix<const T> added;     // an additive mask, if it has data
  Matrix<const bool> taken;  // a mask that is true for keys that take part, if it has data
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
  // Returns how many of the `count` keys from first_key on the query sees. These are the first ones.
  int64_t seen(int64_t query, int64_t first_key, int64_t count) const {
    return causal ? most(0, least(count, query + 1 - first_key)) : count;
  }
  // With numbers counted from first_query and first_key, query i sees the keys up to i + ahead.
  int64_t ahead(int64_t first_query, int64_t first_key) const {
    return causal ? first_query - first_key : keys;
  }
};

// How many numbers a cache line holds.
template <class T>
constexpr int64_t kGroup = kLine / int64_t(sizeof(T));

// The most queries that meet all keys at a time. Fewer queries come in multiples of half this number. Both
// numbers are whole tiles and panels of a product: 6 rows by 16 columns, or 8 by 48.
template <class T>
constexpr int64_t kQueries = 6 * kGroup<T>;
template <class T>
T* room_for(int64_t numbers) {
  return static_cast<T*>(thread_scratch(size_t(numbers) * sizeof(T), ScratchFor::Scores));
}

// The role of the keys in a product. Scores: rows of the result, with a column per query. Depth: the chains
// run over the keys. Rows: rows of the result, and the chains run over the queries. Query number i sees the
// keys up to number i + ahead; the weights of all others are 0.
struct Keys {
  enum class Role : uint8_t { Scores, Depth, Rows } role;
  int64_t ahead;
};

// y = a·b, or y += a·b: only the part that queries see. Calls finished(i) after row i of y.
template <class T, class F>
void product(const Matrix<const T>& a, const Matrix<const T>& b, T* y, int64_t ldy, int64_t m, int64_t n,
             int64_t depth, bool onto, Keys keys, const F& finished) {
  for (int64_t i = 0; depth == 0 && i < m; ++i) {
    for (int64_t j = 0; !onto && j < n; ++j) y[i * ldy + j] = 0;
    finished(i);
  }
  const int64_t columns = most_columns<T>(block_of(a, depth));
  for (int64_t j = 0; j < n; j += columns) {
    const int64_t width = least(n - j, columns);
    const auto seen = [&](int64_t i, int64_t rows) -> TileRegion {
      const int64_t first = most(0, i - keys.ahead);  // the first query that sees these keys
      if (keys.role == Keys::Role::Scores) return {first - j, width, 0, depth};
      if (keys.role == Keys::Role::Depth) return {0, width, 0, least(depth, i + rows + keys.ahead)};
      return {0, width, least(depth, first), depth};
    };
    const auto rows_finished = [&](int64_t i, int64_t rows) {
      for (int64_t end = i + rows; j + width == n && i < end; ++i) finished(i);
    };
    block_product<MultiplyAdd::Fused, T>(a, b.from(0, j), y + j, ldy, m, width, depth, onto, nullptr, {m},
                                         seen, rows_finished);
  }
}

// Some queries of a head and some of its keys. Matrices over such pairs have a row per key and a column per
// query. So a product of scores packs only the few queries, once for all keys, and a softmax works on vectors
// of queries.
template <class T>
struct Block {
  const Head<T>& head;
  int64_t query, queries, key, keys;

  // The distance between rows: an odd number of cache lines, so that a column is spread over all sets of a
  // cache.
  int64_t row() const { return (up(queries, kGroup<T>) | 1) * kGroup<T>; }
  // The first of the queries that sees key number j.
  int64_t first_seeing(int64_t j) const { return most(0, j - ahead()); }
  int64_t ahead() const { return head.ahead(query, key); }
  // The first query that a tile of a product may read in the row of key j.
  int64_t first_read(int64_t j) const {
    return most(0, first_seeing(j) - (kRows - 1)) / kGroup<T> * kGroup<T>;
  }
  // Calls f(zero, i) for all columns i that are read in the row of key j; zero has the type to use, a vector
  // or a number.
  template <class F>
  void for_row(int64_t j, const F& f) const {
    const int64_t first = first_read(j);
    for_each_wide<T>(queries - first, [&](const auto& zero, int64_t i) { f(zero, first + i); });
  }
  // Returns v, the numbers of the queries from i on, with `other` for those before query `first`. A loop over
  // these queries would be mispredicted in each row of a short text.
  template <class V>
  GG_INLINE static V from_query(int64_t first, int64_t i, const V& v, T other) {
    const V query = get(v, kCounted<T>) + T(i);
    return query >= T(first) ? v : V{} + other;
  }
  // Calls f(part, at) for groups of keys that fit an inner cache; `at` is a group's first key.
  template <class F>
  void in_parts(const F& f) const {
    constexpr int64_t kKeys = 512;
    for (int64_t at = 0; at == 0 || at < keys; at += kKeys)
      f(Block{head, query, queries, key + at, least(keys - at, kKeys)}, at);
  }
  // rows = b·aᵀ, only for the queries that see the key.
  template <class F>
  void dots(const Matrix<const T>& a, const Matrix<const T>& b, int64_t width, T* rows,
            const F& finished) const {
    product<T>(b.from(key, 0), a.from(query, 0).transposed(), rows, row(), keys, queries, width, false,
               {Keys::Role::Scores, ahead()}, finished);
  }
  // Calls f(m, i) with the mask's element for key j and each query i that sees the key.
  template <class M, class F>
  void for_mask(const Matrix<const M>& mask, int64_t j, const F& f) const {
    const M* const of_key = mask.data ? &mask.at(query, key + j) : nullptr;
    const int64_t step = mask.stride.row, first = first_seeing(j), end = of_key ? queries : 0;
    if (step == 1)
      for (int64_t i = first; i < end; ++i) f(of_key[i], i);
    else
      for (int64_t i = first; i < end; ++i) f(of_key[i * step], i);
  }
  // Calls f(v, i) with the softmax's input: the products of key j's row, scaled and masked; −∞ for queries
  // that do not see the key.
  template <class F>
  void for_scores(int64_t j, T* row, const F& f) const {
    const auto scaled = [&](const auto& take) {
      for_row(j, [&](const auto& zero, int64_t i) { take(get(zero, row + i) * head.scale, i); });
    };
    const int64_t first = first_seeing(j);
    const auto take_seen = [&](const auto& v, int64_t i) { f(from_query(first, i, v, -kInfinity<T>), i); };
    const bool masked = head.added.data || head.taken.data;
    if (!masked && first == 0) return scaled(f);
    if (!masked) return scaled(take_seen);
    scaled([&](const auto& v, int64_t i) { put(row + i, v); });
    for_mask(head.added, j, [&](T added, int64_t i) { row[i] += added; });
    for_mask(head.taken, j, [&](bool taken, int64_t i) { row[i] = taken ? row[i] : -kInfinity<T>; });
    for_row(j, [&](const auto& zero, int64_t i) { take_seen(get(zero, row + i), i); });
  }
};

// A sum over all keys for each query, in the order of `total`: one row of sums per lane.
template <class T>
struct Sums {
  T* rows;
  int64_t row, lanes;

  Sums(const Block<T>& p, T* room)
      : rows(room), row(p.row()), lanes(p.head.keys < kLanes<T> ? 1 : kLanes<T>) {
    for (int64_t i = 0; i < lanes * row; ++i) rows[i] = -T(0);
  }
  T* of_key(int64_t key) const { return rows + key % lanes * row; }
  T operator[](int64_t i) const {
    if (lanes == 1) return rows[i];
    Vec<T> all{};
    for (int lane = 0; lane < kLanes<T>; ++lane) all[lane] = rows[lane * row + i];
    return add_lanes(all);
  }
};

// The numbers from which each query's weights are recomputed: its largest score, and 1/Σ exp(score −
// largest). Both are 0 for a query that sees no key.
template <class T>
struct Norms {
  T *top, *share;
};

// ---------------------------------------------------------------- forward
template <class T>
void attend(const Block<T>& p, const Matrix<T>& y, const Norms<T>& norms) {
  const int64_t row = p.row();
  T* const weights = room_for<T>((p.keys + kLanes<T>)*row);
  const Sums<T> sums(p, weights + p.keys * row);
  T *const top = norms.top + p.query, *const share = norms.share + p.query;
  for (int64_t i = 0; i < p.queries; ++i) top[i] = -kInfinity<T>;
  p.dots(p.head.q, p.head.k, p.head.width, weights, [&](int64_t j) {
    T* const w = weights + j * row;
    p.for_scores(j, w, [&](const auto& v, int64_t i) {
      put(top + i, larger(get(v, top + i), v));
      put(w + i, v);
    });
  });
  for (int64_t i = 0; i < p.queries; ++i)
    if (top[i] == -kInfinity<T>) top[i] = 0;
  for (int64_t j = 0; j < p.keys; ++j) {
    T *const w = weights + j * row, *const added = sums.of_key(p.key + j);
    p.for_row(j, [&](const auto& zero, int64_t i) {
      const auto v = exp(get(zero, w + i) - get(zero, top + i));
      put(w + i, v);
      put(added + i, get(zero, added + i) + v);
    });
  }
  for (int64_t i = 0; i < p.queries; ++i) {
    const T sum = sums[i];
    share[i] = sum == 0 ? T(0) : 1 / sum;
  }
  p.in_parts([&](const Block<T>& part, int64_t at) {
    for (int64_t j = 0; j < part.keys; ++j) {
      T* const w = weights + (at + j) * row;
      part.for_row(j,
                   [&](const auto& zero, int64_t i) { put(w + i, get(zero, w + i) * get(zero, share + i)); });
    }
    product<T>({weights + at * row, {1, row}}, p.head.v.from(part.key, 0), &y.at(p.query, 0), y.stride.row,
               p.queries, p.head.value_width, part.keys, at > 0, {Keys::Role::Depth, part.ahead()},
               [](int64_t) {});
  });
}

int64_t heads_of(const View& x) {
  int64_t heads = 1;
  for (int d = 0; d < x.shape.n - 2; ++d) heads *= x.shape[d];
  return heads;
}

void attention(const AttentionInputs& in, const View& y, const View& norms) {
  floats(y.dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t heads = heads_of(y), queries = y.shape[y.shape.n - 2], keys = in.k.shape[in.k.shape.n - 2];
    const int64_t parts = up(queries, kQueries<T>);
    parallel(heads * parts, piece_of(least(queries, kQueries<T>) * keys), [&](int64_t at, int64_t end) {
      for (; at < end; ++at) {
        const int64_t head = at / parts;
        const Range some = part_of(at % parts, parts, queries, kQueries<T> / 2);
        const Head<T> h(in, head);
        T* const top = norms.as<T>() + head * queries;
        attend<T>({h, some.first, some.size(), 0, h.seen(some.last - 1, 0, keys)}, head_of<T>(y, head),
                  {top, top + heads * queries});
      }
    });
  });
}

// ---------------------------------------------------------------- backward
template <class T>
struct Gradients {
  Matrix<const T> g;  // of the result
  Norms<const T> norms;
  T* sums;               // for each query, Σ weight·(gradient of the weight)
  Matrix<T> dq, dk, dv;  // with adjacent columns
};

// Which gradients to compute. Those of the queries come first: they write the queries' sums, which the
// gradients of the keys read.
enum class WantedGradients : uint8_t { Both, Queries, Keys };

// Adds the contribution of these queries and keys to dk and dv, and writes dq.
template <class T>
void add_block(const Block<T>& p, const Gradients<T>& d, WantedGradients wanted) {
  const Head<T>& h = p.head;
  const int64_t row = p.row();
  T* const weights = room_for<T>((2 * p.keys + kLanes<T>)*row);
  T* const slopes = weights + p.keys * row;
  const Sums<T> sums(p, slopes + p.keys * row);
  const T *const top = d.norms.top + p.query, *const share = d.norms.share + p.query;
  T* const sum_of = d.sums + p.query;
  p.in_parts([&](const Block<T>& part, int64_t at) {
    part.dots(h.q, h.k, h.width, weights + at * row, [&](int64_t j) {
      T* const w = weights + (at + j) * row;
      part.for_scores(
          j, w, [&](const auto& v, int64_t i) { put(w + i, exp(v - get(v, top + i)) * get(v, share + i)); });
    });
    part.dots(d.g, h.v, h.value_width, slopes + at * row, [&](int64_t j) {
      T *const w = weights + (at + j) * row, *const s = slopes + (at + j) * row;
      T* const added = sums.of_key(part.key + j);
      const int64_t first = part.first_seeing(j);
      part.for_row(j, [&](const auto& zero, int64_t i) {
        const auto slope = part.from_query(first, i, get(zero, s + i), T(0));
        put(s + i, slope);
        if (wanted != WantedGradients::Keys) put(added + i, get(zero, added + i) + slope * get(zero, w + i));
      });
    });
  });
  for (int64_t i = 0; wanted != WantedGradients::Keys && i < p.queries; ++i) sum_of[i] = sums[i];
  const Matrix<const T> g = d.g.from(p.query, 0), q = h.q.from(p.query, 0);
  p.in_parts([&](const Block<T>& part, int64_t at) {
    T *const w = weights + at * row, *const s = slopes + at * row;
    for (int64_t j = 0; j < part.keys; ++j)
      part.for_row(j, [&](const auto& zero, int64_t i) {
        const int64_t ji = j * row + i;
        put(s + ji, (get(zero, s + ji) - get(zero, sum_of + i)) * get(zero, w + ji) * h.scale);
      });
    const Keys depth{Keys::Role::Depth, part.ahead()}, rows{Keys::Role::Rows, part.ahead()};
    const auto none = [](int64_t) {};
    if (wanted != WantedGradients::Keys)
      product<T>({s, {1, row}}, h.k.from(part.key, 0), &d.dq.at(p.query, 0), d.dq.stride.row, p.queries,
                 h.width, part.keys, at > 0, depth, none);
    if (wanted == WantedGradients::Queries) return;
    product<T>({w, {row, 1}}, g, &d.dv.at(part.key, 0), d.dv.stride.row, part.keys, h.value_width, p.queries,
               true, rows, none);
    product<T>({s, {row, 1}}, q, &d.dk.at(part.key, 0), d.dk.stride.row, part.keys, h.width, p.queries, true,
               rows, none);
  });
}

void attention_grad(const AttentionInputs& in, const View& g, const View& norms, const View& sums,
                    const View& dq, const View& dk, const View& dv) {
  floats(g.dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t heads = heads_of(g), queries = g.shape[g.shape.n - 2], keys = in.k.shape[in.k.shape.n - 2];
    const int64_t parts = up(queries, kQueries<T>);
    const auto add = [&](int64_t head, int64_t part, int64_t key, int64_t count, WantedGradients wanted) {
      const Head<T> h(in, head);
      const Range some = part_of(part, parts, queries, kQueries<T> / 2);
      const int64_t seen = h.seen(some.last - 1, key, count), place = head * queries;
      if (seen == 0 && wanted == WantedGradients::Keys) return;
      const T* const top = norms.as<const T>() + place;
      add_block<T>({h, some.first, some.size(), key, seen},
                   {head_of<const T>(g, head),
                    {top, top + heads * queries},
                    sums.as<T>() + place,
                    head_of<T>(dq, head),
                    head_of<T>(dk, head),
                    head_of<T>(dv, head)},
                   wanted);
    };
    const auto share = [&](int64_t pieces, int64_t steps, const auto& f) {
      parallel(heads * pieces, piece_of(steps), [&](int64_t at, int64_t end) {
        for (; at < end; ++at) f(at / pieces, at % pieces);
      });
    };
    if (heads >= sharing_threads())
      return share(1, queries * keys, [&](int64_t head, int64_t) {
        for (int64_t part = 0; part < parts; ++part) add(head, part, 0, keys, WantedGradients::Both);
      });
    // With few heads, the threads share the queries, then the keys. The second round computes the weights
    // again.
    share(parts, kQueries<T> * keys,
          [&](int64_t head, int64_t part) { add(head, part, 0, keys, WantedGradients::Queries); });
    constexpr int64_t kKeys = 256;
    share(up(keys, kKeys), queries * kKeys, [&](int64_t head, int64_t group) {
      const int64_t key = group * kKeys;
      for (int64_t part = 0; part < parts; ++part)
        add(head, part, key, least(keys - key, kKeys), WantedGradients::Keys);
    });
  });
}

}  // namespace

void fill_attention(Kernels& k) {
  k.attention = attention;
  k.attention_grad = attention_grad;
}

}  // namespace glassgrad::GG_ISA
