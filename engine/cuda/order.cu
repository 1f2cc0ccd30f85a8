// Stable sorting, running sums, and writing in a fixed order.
#include "order.h"

#include "packs.h"

namespace glassgrad::cuda {
namespace {

constexpr int64_t kTile = 128;  // keys of a line that are sorted at once, by counting the keys before each
constexpr int64_t kChunk = 32;  // elements of a running sum that a thread takes

// Moves each key of a tile to its sorted place in the tile.
void sort_tiles(int64_t lines, int64_t length, const uint64_t* from, uint64_t* keys, int64_t* positions) {
  each("sort_tiles", lines * length, [=] __device__(int64_t i) {
    const int64_t line = quotient(i, length), position = i - line * length;
    const int64_t first = position / kTile * kTile;
    const int64_t end = first + kTile < length ? first + kTile : length;
    const uint64_t* const row = from + line * length;
    const uint64_t key = row[position];
    int64_t before = 0;
    for (int64_t j = first; j < end; ++j) before += row[j] < key || (row[j] == key && j < position);
    keys[line * length + first + before] = key;
    positions[line * length + first + before] = position;
  });
}

// Returns how many of n sorted keys come before this key; with_equal also counts equal keys.
__device__ int64_t count_before(const uint64_t* keys, int64_t n, uint64_t key, bool with_equal) {
  int64_t low = 0;
  while (n > 0) {
    const int64_t half = n / 2;
    const uint64_t other = keys[low + half];
    if (other < key || (with_equal && other == key)) {
      low += half + 1;
      n -= half + 1;
    } else {
      n = half;
    }
  }
  return low;
}

// Merges pairs of sorted runs: each key finds its place by counting the keys of the neighbouring run that
// come before it.
void merge_runs(int64_t lines, int64_t length, int64_t run, const uint64_t* from,
                const int64_t* from_positions, uint64_t* keys, int64_t* positions) {
  each("merge_runs", lines * length, [=] __device__(int64_t i) {
    const int64_t line = quotient(i, length), place = i - line * length;
    const int64_t start = place / (2 * run) * (2 * run);
    const int64_t middle = start + run < length ? start + run : length;
    const int64_t end = middle + run < length ? middle + run : length;
    const uint64_t* const row = from + line * length;
    const uint64_t key = row[place];
    const bool second = place >= middle;
    const int64_t others = second ? count_before(row + start, middle - start, key, true)
                                  : count_before(row + middle, end - middle, key, false);
    const int64_t to = line * length + place + others - (second ? middle - start : 0);
    keys[to] = key;
    positions[to] = from_positions[i];
  });
}

}  // namespace

KeySorter::KeySorter(int64_t lines, int64_t length)
    : lines_(lines),
      length_(length),
      keys_{Scratch<uint64_t>(lines * length), Scratch<uint64_t>(lines * length)},
      positions_{Scratch<int64_t>(lines * length), Scratch<int64_t>(lines * length)} {}

void KeySorter::sort() {
  sort_tiles(lines_, length_, keys_[0].get(), keys_[1].get(), positions_[1].get());
  now_ = 1;
  for (int64_t run = kTile; run < length_; run *= 2, now_ = 1 - now_)
    merge_runs(lines_, length_, run, keys_[now_].get(), positions_[now_].get(), keys_[1 - now_].get(),
               positions_[1 - now_].get());
}

// ---- running sums
namespace {
void add_up_chunks(int64_t* v, int64_t n, int64_t* totals) {
  each("add_up_chunks", (n + kChunk - 1) / kChunk, [=] __device__(int64_t chunk) {
    int64_t sum = 0;
    for (int64_t i = chunk * kChunk; i < n && i < (chunk + 1) * kChunk; ++i) v[i] = sum += v[i];
    totals[chunk] = sum;
  });
}
void add_chunks_before(int64_t* v, int64_t n, const int64_t* totals) {
  each("add_chunks_before", n - kChunk, [=] __device__(int64_t i) { v[i + kChunk] += totals[i / kChunk]; });
}
}  // namespace

void add_up(int64_t* v, int64_t n) {
  const int64_t chunks = (n + kChunk - 1) / kChunk;
  const Scratch<int64_t> totals(chunks);
  add_up_chunks(v, n, totals.get());
  if (chunks < 2) return;
  add_up(totals.get(), chunks);
  add_chunks_before(v, n, totals.get());
}

// ---- writing in order
namespace {

// If values are added up, a run of equal keys is split into pieces of this many, which threads share.
constexpr int64_t kPiece = 256;

// ends[i]: the end of the piece of a run that begins at i; 0 if none begins there.
void find_pieces(int64_t n, const uint64_t* keys, int64_t piece, int64_t* ends) {
  each("find_pieces", n, [=] __device__(int64_t i) {
    const uint64_t key = keys[i];
    bool begins = key != Destinations::kNowhere && (i == 0 || keys[i - 1] != key);
    if (!begins && key != Destinations::kNowhere && i >= piece && keys[i - piece] == key)
      begins = (i - count_before(keys, i, key, false)) % piece == 0;
    const int64_t most = n - i < piece ? n - i : piece;
    ends[i] = begins ? i + count_before(keys + i, most, key, true) : 0;
  });
}

// Adds value(position) for the groups of a piece from `run` on, in order, with several loads in flight.
template <class T, class Value>
__device__ T add_piece(T sum, int64_t run, int64_t end, const int64_t* positions, Value value) {
  constexpr int kAhead = 8;
  for (; run + kAhead <= end; run += kAhead) {
    int64_t from[kAhead];
    T next[kAhead];
    for (int j = 0; j < kAhead; ++j) from[j] = positions[run + j];
    for (int j = 0; j < kAhead; ++j) next[j] = value(from[j]);
    for (int j = 0; j < kAhead; ++j) sum = T(sum + next[j]);
  }
  for (; run < end; ++run) sum = T(sum + value(positions[run]));
  return sum;
}

// Sorted runs of n groups of `width` elements: their places in x, and their values.
template <class T>
struct Runs {
  T* x;
  const T* values;
  int64_t n, width;
  const uint64_t* keys;
  const int64_t *positions, *ends;
  Nest<1> groups;
  Nest<2> within;
};

// Runs a thread for each element of each piece. Adds the first piece of a run to x. Keeps the sums of later
// pieces in `sums`: row i / kPiece is for the piece that begins at i, because no two of these pieces begin
// closer than kPiece.
template <class T>
void put_pieces(const Runs<T>& r, Computed<T>* sums, bool accumulate) {
  each("put_in_order", r.n * r.width, [=] __device__(int64_t i) {
    const int64_t first = quotient(i, r.width), element = i - first * r.width, end = r.ends[first];
    if (end == 0) return;
    const auto at = r.within.at(element);
    const auto value = [&](int64_t position) {
      return Computed<T>(r.values[r.groups.at(position)[0] + at[1]]);
    };
    T& place = r.x[int64_t(r.keys[first]) + at[0]];
    if (!accumulate)
      place = T(value(r.positions[end - 1]));
    else if (first == 0 || r.keys[first - 1] != r.keys[first])
      place = T(add_piece(Computed<T>(place), first, end, r.positions, value));
    else
      sums[first / kPiece * r.width + element] =
          add_piece(value(r.positions[first]), first + 1, end, r.positions, value);
  });
}

// Adds the sums of the later pieces of each run to x. Runs a thread for each element of each stretch of
// kPiece groups, in which at most one run of several pieces begins.
template <class T>
void add_pieces(const Runs<T>& r, const Computed<T>* sums) {
  each("add_pieces", r.n / kPiece * r.width, [=] __device__(int64_t i) {
    const int64_t stretch = quotient(i, r.width), element = i - stretch * r.width, from = stretch * kPiece;
    const uint64_t key = r.keys[from + kPiece - 1];
    const int64_t first = from + count_before(r.keys + from, kPiece, key, false), second = first + kPiece;
    if (key == Destinations::kNowhere || second >= r.n || r.keys[second] != key) return;
    if (first > 0 && r.keys[first - 1] == key) return;  // the run begins in an earlier stretch
    const auto at = r.within.at(element);
    T& place = r.x[int64_t(key) + at[0]];
    Computed<T> sum(place);
    read_ahead(
        second, first + count_before(r.keys + first, r.n - first, key, true), kPiece,
        [&](int64_t piece) { return sums[piece / kPiece * r.width + element]; },
        [&](Computed<T> more, int64_t) { sum = Computed<T>(sum + more); });
    place = T(sum);
  });
}

}  // namespace

void put_in_order(const View& x, Destinations& d, const void* values, bool accumulate) {
  const int64_t n = d.sorter.length();
  const bool in_pieces = accumulate && n > kPiece;
  d.sorter.sort();
  const Scratch<int64_t> ends(n);
  find_pieces(n, d.keys(), in_pieces ? kPiece : n, ends.get());
  every_type(x.dtype, [&](auto zero) {
    using T = decltype(zero);
    const Runs<T> runs{x.as<T>(), static_cast<const T*>(values), n,          d.width,
                       d.keys(),  d.sorter.positions(),          ends.get(), d.groups,
                       d.within};
    const Scratch<Computed<T>> sums(in_pieces ? (n / kPiece + 1) * d.width : 0);
    put_pieces(runs, sums.get(), accumulate);
    if (in_pieces) add_pieces(runs, sums.get());
  });
}

}  // namespace glassgrad::cuda
