// The tensors of a recording for the explorer's page (docs/explorer.md): texts that the page shows unchanged,
// so that it needs no formatting of its own.
#pragma once
#include <map>
#include <string>
#include <unordered_map>

#include "apps/cli/json_number.h"
#include "apps/lesson/recording.h"
#include "apps/show/tensor_table.h"

namespace glassgrad::explorer {

// A larger tensor is folded: a checksum replaces its cells. The page of a large run folds smaller tensors
// too.
constexpr int64_t kMostCells = 1000;

// A cache of the texts of tensors: when one number changes, most tensors stay the same.
class TensorTextCache {
 public:
  struct Texts {
    std::string repr, cells, exact;  // PyTorch's repr; its cells with blanks between; the cells in all digits
    bool in_repr = true;             // the cells are the words between the brackets of repr
  };
  // cells and exact are empty unless `has_cells`.
  Texts of(const learn::Value& x, bool has_cells);

 private:
  std::unordered_map<std::string, Texts> known_;  // key: the elements' bytes and the tensor's properties
};

// The contents of tensors, each stored once: a gradient appears in the step that sends it and in the step
// that receives it. {"text": PyTorch's repr, "texts": its cells in logical order as PyTorch prints them,
// separated by blanks, where they are not the words between the brackets of "text", "exact": the cells in all
// digits, where they differ}; a folded tensor has only "text".
class TensorList {
 public:
  // cache: the texts of earlier runs; null: none. most_cells: a tensor with more is folded.
  explicit TensorList(TensorTextCache* cache = nullptr, int64_t most_cells = kMostCells)
      : cache_(cache ? *cache : own_), most_cells_(most_cells) {}
  TensorList(const TensorList&) = delete;
  TensorList& operator=(const TensorList&) = delete;

  // Returns the contents' position in the list. whole: include all cells, however many there are.
  size_t add(const learn::Value& x, bool whole = false);
  int64_t most_cells() const { return most_cells_; }
  Json take() { return std::move(list_); }

 private:
  TensorTextCache own_;
  TensorTextCache& cache_;
  int64_t most_cells_;
  Json list_ = Json::array();
  std::map<std::string, size_t> known_;  // key: the texts
};

// {"name", "line", "printed", "whose", "shape", "shape_text", "axes", "named", "dtype", "numbers",
// "row_sums", "changed", "changed_text", "masked", "before_mask", "folded"}. whose: "source", "our print",
// "ours", "wrong" or "view" (Whose). masked: the cells that a mask made 0. before_mask: for a result of
// masked_fill, the numbers that it read, like "numbers". named: the dimensions whose indices are labelled
// with the tokens' names.
Json entry_json(const learn::Recording& recording, const learn::Entry& entry, TensorList& numbers,
                bool whole = false);

// Calls f(slice, where) for each table of the tensor, in logical order; where: "head 1", "batch 0, head 1",
// or "".
template <class F>
void each_table(const learn::TensorTable& table, F f, learn::TensorTable::Slice slice = {}, size_t axis = 0,
                const std::string& where = {}) {
  if (axis == table.before().size()) return f(slice, where);
  const learn::Axis& a = table.before()[axis];
  for (int64_t i = 0; i < std::ssize(a.labels); ++i)
    each_table(table, f, table.inside(slice, axis, i), axis + 1,
               where + (where.empty() ? "" : ", ") + learn::index_name(a, i));
}

}  // namespace glassgrad::explorer
