// A tensor as tables of numbers with named rows and columns: one table for each index of the dimensions
// before these two. Grids and spoken lines use it.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "apps/lesson/recording.h"
#include "apps/show/masked.h"

namespace glassgrad::learn {

// A dimension: its word, and the names of its indices.
struct Axis {
  std::string word;                 // "query"; empty if it has none
  std::vector<std::string> labels;  // one for each index
  bool tokens = false;              // the labels are the tokens' names
};

// Returns 'query "journey"', "head 0", "d_in 2".
std::string index_name(const Axis& axis, int64_t i);

class TensorTable {
 public:
  // A vector has one row; a 0-d tensor has one row and one column. The missing dimensions have no labels.
  TensorTable(const Recording& recording, const Entry& entry);

  const std::vector<Axis>& before() const { return before_; }  // batch, head, …
  const Axis& rows() const { return rows_; }
  const Axis& columns() const { return columns_; }
  int64_t row_count() const { return row_count_; }
  int64_t column_count() const { return column_count_; }

  // One matrix of the tensor: an index for each axis of before().
  struct Slice {
    int64_t offset = 0;  // of its first element in memory
    int64_t number = 0;  // index among all matrices
  };
  Slice inside(Slice slice, size_t axis, int64_t index) const;

  std::string text(Slice slice, int64_t row, int64_t column) const;  // in PyTorch's digits
  size_t width() const { return width_; }                            // of the widest finite number
  // Returns the size of a number in fifths of the largest, 0 … 4; -1 if it is not a finite float.
  int heat(Slice slice, int64_t row, int64_t column) const;
  double share(Slice slice, int64_t row, int64_t column) const;  // |value| / largest; 0 if not finite
  int sign(Slice slice, int64_t row, int64_t column) const;      // of a float: -1, 0 or 1
  // Returns whether a mask has removed the cell (masked.h).
  bool masked(Slice slice, int64_t row, int64_t column) const;
  // Returns whether two matrices have the same numbers, bit by bit.
  bool same(Slice a, Slice b) const;
  // The same for all matrices under two indices of before()[axis].
  bool same_inside(Slice slice, size_t axis, int64_t a, int64_t b) const;
  double largest() const { return largest_; }     // of the finite |values|
  bool has_heat() const { return largest_ > 0; }  // some number is not 0
  bool has_row_sums() const { return bool(sums_); }
  std::string row_sum(Slice slice, int64_t row) const;
  // Returns whether the number differs from the run that this run was compared with.
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

// Returns the indices of a dimension that are shown, with kGap where some are left out: a long dimension
// shows its first and last indices, like PyTorch.
constexpr int64_t kGap = -1, kFoldedFrom = 12;
std::vector<int64_t> shown_indices(int64_t size, bool folded);
// The same for a dimension of this tensor. A folded batch shows only its first sentence.
std::vector<int64_t> shown_indices(const Entry& entry, int dim, bool folded);
constexpr std::string_view kBatch = "batch";

// Returns the numbers of a long vector whose axis is "step", which is shown as a curve; else none.
std::vector<double> values_of_steps(const Entry& entry);

}  // namespace glassgrad::learn
