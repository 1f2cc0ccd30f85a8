// A tensor as tables of numbers with names: rows, columns, and a table for each index of the dimensions
// before them. Grids and spoken lines read it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "apps/lesson/recording.h"
#include "apps/show/masked.h"

namespace glassgrad::learn {

// What a dimension counts.
struct Axis {
  std::string word;                 // "query"; empty where nobody has said
  std::vector<std::string> labels;  // one for each index
  bool tokens = false;              // the labels are the tokens' names
};

// 'query "journey"', "head 0", "d_in 2".
std::string index_name(const Axis& axis, int64_t i);

class Table {
 public:
  // A vector is one row, a number one row and one column; their missing dimensions have no labels.
  Table(const Recording& recording, const Entry& entry);

  const std::vector<Axis>& before() const { return before_; }  // batch, head, …
  const Axis& rows() const { return rows_; }
  const Axis& columns() const { return columns_; }
  int64_t row_count() const { return row_count_; }
  int64_t column_count() const { return column_count_; }

  // One matrix of the tensor: an index for each axis of before().
  struct Slice {
    int64_t offset = 0;  // of its first element in memory
    int64_t number = 0;  // among all
  };
  Slice inside(Slice slice, size_t axis, int64_t index) const;

  std::string text(Slice slice, int64_t row, int64_t column) const;  // in PyTorch's digits
  size_t width() const { return width_; }                            // of all finite numbers' texts
  // The size of a number in fifths of the largest: 0 … 4; -1 for what is no finite float.
  int heat(Slice slice, int64_t row, int64_t column) const;
  double share(Slice slice, int64_t row, int64_t column) const;  // |value| / largest; 0 of what is not finite
  int sign(Slice slice, int64_t row, int64_t column) const;      // of a float: -1, 0 or 1
  // Has a mask taken the cell out (masked.h)?
  bool masked(Slice slice, int64_t row, int64_t column) const;
  // Are the numbers of two matrices the same, bit by bit?
  bool same(Slice a, Slice b) const;
  // The same for what stands under two indices of before()[axis].
  bool same_inside(Slice slice, size_t axis, int64_t a, int64_t b) const;
  double largest() const { return largest_; }     // of the finite |values|
  bool has_heat() const { return largest_ > 0; }  // numbers to compare with each other
  bool has_row_sums() const { return bool(sums_); }
  std::string row_sum(Slice slice, int64_t row) const;
  // Differs the number from that of the run that this one was compared with?
  bool changed(Slice slice, int64_t row, int64_t column) const;

 private:
  int64_t at(Slice slice, int64_t row, int64_t column) const {
    return slice.offset + row * row_stride_ + column * column_stride_;
  }
  double number(int64_t at) const;

  Tensor x_, sums_;
  Masked masked_;
  std::shared_ptr<const Difference> changed_;
  std::function<std::string(int64_t)> write_;
  std::vector<Axis> before_;
  Axis rows_, columns_;
  int64_t row_count_ = 1, column_count_ = 1, row_stride_ = 0, column_stride_ = 0;
  size_t width_ = 1;
  double largest_ = 0;
};

// The indices of a dimension that are shown, kGap where some are left out: a long one shows its first and
// last as PyTorch does.
constexpr int64_t kGap = -1, kFoldedFrom = 12;
std::vector<int64_t> shown_indices(int64_t size, bool folded);
// Of a dimension of this tensor: of a batch, folded, the first sentence stands for all.
std::vector<int64_t> shown_indices(const Entry& entry, int dim, bool folded);
constexpr std::string_view kBatch = "batch";

// The numbers of a vector whose axis is "step", if it is a long one: what a curve is drawn of. Else none.
std::vector<double> values_of_steps(const Entry& entry);

}  // namespace glassgrad::learn
