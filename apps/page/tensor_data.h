// The tensors of a recording as the explorer's page has them (docs/explorer.md): texts that the page shows as
// they are, so that it needs no formatting of its own.
#pragma once
#include <map>
#include <string>
#include <unordered_map>

#include "apps/cli/json_number.h"
#include "apps/lesson/recording.h"
#include "apps/show/table.h"

namespace glassgrad::explorer {

// A larger tensor is folded: it has a checksum instead of its cells. A page of a large run folds smaller ones
// too.
constexpr int64_t kMostCells = 1000;

// What tensors look like. Kept for those that come again: when one number is changed, most others are not.
class Contents {
 public:
  struct Texts {
    std::string repr, cells, exact;  // PyTorch's; its cells with blanks between them; the same in all digits
    bool in_repr = true;             // the cells are the words between the brackets of repr
  };
  // cells and exact are empty unless `has_cells`.
  Texts of(const learn::Value& x, bool has_cells);

 private:
  std::unordered_map<std::string, Texts> known_;  // by the elements' bytes and what is said about them
};

// The contents of tensors, each only once: a gradient stands in the step that sends it and in the one that
// receives it. {"text": PyTorch's repr, "texts": its cells in logical order as PyTorch prints them, with
// blanks between them, where they are not the words between the brackets of "text", "exact": the same in all
// digits, where that differs}; of folded ones only "text".
class TensorList {
 public:
  // contents: what a run before this one has left; null: nothing. most_cells: of a tensor that is not folded.
  explicit TensorList(Contents* contents = nullptr, int64_t most_cells = kMostCells)
      : contents_(contents ? *contents : own_), most_cells_(most_cells) {}
  TensorList(const TensorList&) = delete;
  TensorList& operator=(const TensorList&) = delete;

  // Their position in the list. whole: all cells, however many there are.
  size_t add(const learn::Value& x, bool whole = false);
  int64_t most_cells() const { return most_cells_; }
  Json take() { return std::move(list_); }

 private:
  Contents own_;
  Contents& contents_;
  int64_t most_cells_;
  Json list_ = Json::array();
  std::map<std::string, size_t> known_;  // by what is written
};

// {"name", "line", "printed", "whose", "shape", "shape_text", "axes", "named", "dtype", "numbers",
// "row_sums", "changed", "changed_text", "folded"}. whose: "source", "our print", "ours" or "view" (Whose).
// named: the dimensions that are counted by the tokens' names.
Json entry_json(const learn::Recording& recording, const learn::Entry& entry, TensorList& numbers,
                bool whole = false);

// Calls f with each table of the tensor, in logical order, and where it is: "head 1", "batch 0, head 1", or
// "".
template <class F>
void each_table(const learn::Table& table, F f, learn::Table::Slice slice = {}, size_t axis = 0,
                const std::string& where = {}) {
  if (axis == table.before().size()) return f(slice, where);
  const learn::Axis& a = table.before()[axis];
  for (int64_t i = 0; i < std::ssize(a.labels); ++i)
    each_table(table, f, table.inside(slice, axis, i), axis + 1,
               where + (where.empty() ? "" : ", ") + learn::index_name(a, i));
}

}  // namespace glassgrad::explorer
