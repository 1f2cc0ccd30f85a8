// The building blocks of ops that select elements: stable sorting, running sums, and writing to places that
// may coincide. For .cu files only.
#pragma once
#include "../core/nest.h"
#include "scratch.h"

namespace glassgrad::cuda {

// Keys in lines of one length, to be sorted within their lines. Equal keys keep their order.
class KeySorter {
 public:
  KeySorter(int64_t lines, int64_t length);
  uint64_t* keys() const { return keys_[now_].get(); }           // fill these; sort() puts them in order
  int64_t* positions() const { return positions_[now_].get(); }  // after sort(): where each key was before
  int64_t lines() const { return lines_; }
  int64_t length() const { return length_; }
  void sort();

 private:
  const int64_t lines_, length_;
  Scratch<uint64_t> keys_[2];
  Scratch<int64_t> positions_[2];
  int now_ = 0;
};

// Replaces v[i] by v[0] + … + v[i], for all 0 ≤ i < n.
void add_up(int64_t* v, int64_t n);

// Writes n groups of `width` elements to places in x, or adds them. Groups with the same place are taken in
// order, so every run gives the same bits; when writing, the last one stays. If more than 256 groups are
// added to one place, each 256 are summed first.
struct Destinations {
  static constexpr uint64_t kNowhere = ~uint64_t{0};
  uint64_t* keys() const { return sorter.keys(); }  // fill these: the place of each group in x
  KeySorter sorter;
  int64_t width;
  Nest<1> groups;  // where the values of group i begin
  Nest<2> within;  // where element j of a group lies, in x and in the values
};
void put_in_order(const View& x, Destinations& d, const void* values, bool accumulate);

}  // namespace glassgrad::cuda
