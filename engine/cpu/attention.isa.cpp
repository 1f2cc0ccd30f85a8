// Attention by rows: the scores of some queries with all keys lie in an outer cache until they are weights
// and have met the values, so that no matrix of all scores is ever written. The backward makes the weights
// anew. Each element of a product is one chain of fma, each row's softmax is that of the op: so the results
// have the bits of what attention is in ops (ops/attention.cpp), wherever rows and keys are cut.
#include "kernels.h"
#include "parallel.h"
#include "product.h"
#include "softmax_row.h"

namespace glassgrad::GG_ISA {
namespace {

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
  // Of `count` keys from this one on, those that a query sees, which come first.
  int64_t seen(int64_t query, int64_t first_key, int64_t count) const {
    return causal ? most(0, least(count, query + 1 - first_key)) : count;
  }
  // How many more keys from this one on a query sees than its number says.
  int64_t ahead(int64_t first_query, int64_t first_key) const {
    return causal ? first_query - first_key : keys;
  }
};

// Rows have room for whole lines of the cache.
template <class T>
constexpr int64_t kGroup = kLine / int64_t(sizeof(T));
template <class T>
int64_t in_groups(int64_t n) {
  return up(n, kGroup<T>) * kGroup<T>;
}

// How many queries meet all keys at a time: as many rows of scores as leave an outer cache room for the rest.
template <class T>
int64_t queries_of(int64_t keys, int64_t matrices) {
  constexpr int64_t kRoom = 1 << 19, kLeast = 64, kMost = 128;
  return most(kLeast, least(kMost, kRoom / (matrices * most(1, keys) * int64_t(sizeof(T)))));
}
template <class T>
T* room_for(int64_t numbers) {
  return static_cast<T*>(thread_scratch(size_t(numbers) * sizeof(T), ScratchFor::Scores));
}

// What the keys are in a product: columns of the result, what its chains run over, or its rows. Query number
// i of these sees the keys up to number i + ahead; all others weigh nothing.
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

// Some queries of a head and some of its keys.
template <class T>
struct Block {
  const Head<T>& head;
  int64_t query, queries, key, keys;

  // A row of numbers for each query.
  int64_t row() const { return in_groups<T>(keys); }
  int64_t seen(int64_t i) const { return head.seen(query + i, key, keys); }
  // Of a row, the numbers that a sum over all keys has in its lanes: from what is seen on they are 0.
  int64_t in_lanes(int64_t seen) const {
    return head.keys < kLanes<T> ? seen : up(seen, kLanes<T>) * kLanes<T>;
  }
  Keys are(Keys::Are what) const { return {what, head.ahead(query, key)}; }
  // Zeros for what a product reads of a row beside the numbers in lanes.
  void clear_rest(T* row, int64_t n) const {
    const int64_t end = least(this->row(), in_groups<T>(n + kRows));
    for (int64_t j = n; j < end; ++j) row[j] = 0;
  }
  // rows = a·bᵀ, for each query and the keys that it sees.
  void dots(const Matrix<const T>& a, const Matrix<const T>& b, int64_t width, T* rows) const {
    product<T>(a.from(query, 0), b.from(key, 0).transposed(), rows, row(), queries, keys, width, false,
               are(Keys::Are::Columns));
  }
  // The products of query number i as the softmax takes them: scaled and masked, −∞ where a lane has none.
  void score(int64_t i, T* products) const {
    const int64_t n = seen(i);
    multiply_row(products, n, head.scale);
    for (int64_t j = 0; head.added.data && j < n; ++j) products[j] += head.added.at(query + i, key + j);
    for (int64_t j = 0; head.taken.data && j < n; ++j)
      if (!head.taken.at(query + i, key + j)) products[j] = -kInfinity<T>;
    for (int64_t j = n; j < in_lanes(n); ++j) products[j] = -kInfinity<T>;
  }
};

// What the weights of each query are made from anew: the largest of its scores, and 1/Σ exp(score − it).
template <class T>
struct Norms {
  T *top, *share;
};

// ---------------------------------------------------------------- forward
template <class T>
void attend(const Block<T>& p, const Matrix<T>& y, const Norms<T>& norms) {
  const int64_t row = p.row();
  T* const weights = room_for<T>(p.queries * row);
  p.dots(p.head.q, p.head.k, p.head.width, weights);
  for (int64_t i = 0; i < p.queries; ++i) {
    T* const w = weights + i * row;
    p.score(i, w);
    const int64_t n = p.in_lanes(p.seen(i));
    const T top = n ? max_of(w, n) : -kInfinity<T>;
    const bool blind = top == -kInfinity<T>;
    const T share = blind ? T(0) : 1 / exps_of(w, w, n, top);
    if (blind)
      __builtin_memset(w, 0, size_t(n) * sizeof(T));
    else
      multiply_row(w, n, share);
    p.clear_rest(w, n);
    norms.top[p.query + i] = top, norms.share[p.query + i] = share;
  }
  product<T>({weights, {row, 1}}, p.head.v, &y.at(p.query, 0), y.stride.row, p.queries, p.head.value_width,
             p.keys, false, p.are(Keys::Are::Depth));
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
    const int64_t each = queries_of<T>(keys, 1), parts = up(queries, each);
    parallel(heads * parts, piece_of(least(queries, each) * keys), [&](int64_t at, int64_t end) {
      for (; at < end; ++at) {
        const int64_t head = at / parts, first = at % parts * each, count = least(queries - first, each);
        const Head<T> h(in, head);
        T* const top = norms.as<T>() + head * queries;
        attend<T>({h, first, count, 0, h.seen(first + count - 1, 0, keys)}, head_of<T>(y, head),
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
  T* sums;               // Σ weight·its gradient, of each query
  Matrix<T> dq, dk, dv;  // columns side by side
};

// Whose gradients are wanted: a query's takes its row of all keys and leaves its sum, which a key's takes.
enum class Of : uint8_t { Both, Queries, Keys };

// What these queries and keys add to the gradients; dq is written.
template <class T>
void add_block(const Block<T>& p, const Gradients<T>& d, Of of) {
  const Head<T>& h = p.head;
  const int64_t row = p.row();
  T* const weights = room_for<T>(2 * p.queries * row);
  T* const slopes = weights + p.queries * row;
  p.dots(h.q, h.k, h.width, weights);
  p.dots(d.g, h.v, h.value_width, slopes);
  for (int64_t i = 0; i < p.queries; ++i) {
    T *const w = weights + i * row, *const s = slopes + i * row;
    const T top = d.norms.top[p.query + i], share = d.norms.share[p.query + i];
    p.score(i, w);
    const int64_t seen = p.seen(i), n = p.in_lanes(seen);
    for (int64_t j = seen; j < n; ++j) s[j] = 0;
    if (top == -kInfinity<T>)
      __builtin_memset(w, 0, size_t(n) * sizeof(T));
    else
      for_each_of_row(w, w, n, [&](auto& v) { v = exp(v - top) * share; });
    if (of != Of::Keys)
      d.sums[p.query + i] = total<T>(n, [&](auto& sum, int64_t j) {
        auto weight = sum, slope = sum;
        get(w + j, weight);
        get(s + j, slope);
        sum += slope * weight;
      });
    const T sum = d.sums[p.query + i], scale = h.scale;
    for_each<T>(n, [&](const auto& zero, int64_t j) {
      auto weight = zero, slope = zero;
      get(w + j, weight);
      get(s + j, slope);
      put(s + j, (slope - sum) * weight * scale);
    });
    p.clear_rest(w, n);
    p.clear_rest(s, n);
  }
  const Matrix<const T> g = d.g.from(p.query, 0), w{weights, {row, 1}}, s{slopes, {row, 1}};
  if (of != Of::Keys)
    product<T>(s, h.k.from(p.key, 0), &d.dq.at(p.query, 0), d.dq.stride.row, p.queries, h.width, p.keys,
               false, p.are(Keys::Are::Depth));
  if (of == Of::Queries) return;
  product<T>(w.transposed(), g, &d.dv.at(p.key, 0), d.dv.stride.row, p.keys, h.value_width, p.queries, true,
             p.are(Keys::Are::Rows));
  product<T>(s.transposed(), h.q.from(p.query, 0), &d.dk.at(p.key, 0), d.dk.stride.row, p.keys, h.width,
             p.queries, true, p.are(Keys::Are::Rows));
}

void attention_grad(const AttentionInputs& in, const View& g, const View& norms, const View& sums,
                    const View& dq, const View& dk, const View& dv) {
  floats(g.dtype, [&](auto zero) {
    using T = decltype(zero);
    const int64_t heads = heads_of(g), queries = g.shape[g.shape.n - 2], keys = in.k.shape[in.k.shape.n - 2];
    const int64_t each = queries_of<T>(keys, 2);
    const auto add = [&](int64_t head, int64_t first, int64_t key, int64_t count, Of of) {
      const Head<T> h(in, head);
      const int64_t n = least(queries - first, each), place = head * queries;
      const T* const top = norms.as<const T>() + place;
      add_block<T>({h, first, n, key, h.seen(first + n - 1, key, count)},
                   {head_of<const T>(g, head),
                    {top, top + heads * queries},
                    sums.as<T>() + place,
                    head_of<T>(dq, head),
                    head_of<T>(dk, head),
                    head_of<T>(dv, head)},
                   of);
    };
    const auto share = [&](int64_t parts, int64_t steps, const auto& f) {
      parallel(heads * parts, piece_of(steps), [&](int64_t at, int64_t end) {
        for (; at < end; ++at) f(at / parts, at % parts);
      });
    };
    if (heads >= sharing_threads())
      return share(1, queries * keys, [&](int64_t head, int64_t) {
        for (int64_t first = 0; first < queries; first += each) add(head, first, 0, keys, Of::Both);
      });
    // Few heads: the threads share the queries, then the keys, whose weights are made once more.
    share(up(queries, each), each * keys,
          [&](int64_t head, int64_t part) { add(head, part * each, 0, keys, Of::Queries); });
    constexpr int64_t kKeys = 256;
    share(up(keys, kKeys), queries * kKeys, [&](int64_t head, int64_t part) {
      const int64_t key = part * kKeys;
      for (int64_t first = in.causal ? key / each * each : 0; first < queries; first += each)
        add(head, first, key, least(keys - key, kKeys), Of::Keys);
    });
  });
}

}  // namespace

void fill_attention(Kernels& k) {
  k.attention = attention;
  k.attention_grad = attention_grad;
}

}  // namespace glassgrad::GG_ISA
