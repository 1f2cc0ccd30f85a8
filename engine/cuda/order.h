// What the ops that choose elements are made of: stable orders, running sums, and writing to places several
// of which may be one. For .cu files only.
#pragma once
#include "scratch.h"
#include "walk.h"

namespace glassgrad::cuda {

// Keys in lines of one length, to be sorted within their lines. Equal ones keep their order.
class Order {
 public:
  Order(int64_t lines, int64_t length);
  uint64_t* keys() const { return keys_[now_].get(); }           // to be filled; then in order
  int64_t* positions() const { return positions_[now_].get(); }  // of each in its line, before
  int64_t lines() const { return lines_; }
  int64_t length() const { return length_; }
  void sort();

 private:
  const int64_t lines_, length_;
  Scratch<uint64_t> keys_[2];
  Scratch<int64_t> positions_[2];
  int now_ = 0;
};

// v[i] = v[0] + … + v[i], for all 0 ≤ i < n.
void add_up(int64_t* v, int64_t n);

// n groups of `width` elements, and where in x each goes. What several bring to one place arrives in the
// order of their groups, the same in every run: added up, or the last of them stays. Of more than 256 groups
// for one place, the sums of each next 256 are added.
struct Destinations {
  static constexpr uint64_t kNowhere = ~uint64_t{0};
  uint64_t* keys() const { return order.keys(); }  // to be filled: the place of each group in x
  Order order;
  int64_t width;
  Walk<1> groups;  // where the values of group i begin
  Walk<2> within;  // where element j of a group lies, in x and in the values
};
void put_in_order(const View& x, Destinations& d, const void* values, bool accumulate);

}  // namespace glassgrad::cuda
