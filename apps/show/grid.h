// A tensor as a grid: names on rows and columns, the words of its axes, a colour for the sign and size of
// every number (without colours, a mark for its size), a block for a masked cell, a ~ before a number that
// has changed, sums beside the rows whose sum is worth seeing. A batch shows its first sentence until it is
// unfolded.
#pragma once
#include <map>
#include <memory>

#include "apps/show/tensor_table.h"
#include "apps/terminal/lines.h"

namespace glassgrad::learn {

// Measurements of whole tensors, kept for the next drawing. Must be cleared when a recording is destroyed
// whose entries it has seen.
class TableCache {
 public:
  std::shared_ptr<const TensorTable> of(const Recording& recording, const Entry& entry);
  void clear() { tables_.clear(); }

 private:
  std::map<const Entry*, std::shared_ptr<const TensorTable>> tables_;
};

struct GridView {
  size_t columns = 80;              // of the screen
  bool folded = true;               // long dimensions show only their first and last indices
  int64_t left = 0;                 // columns of the tensor that are hidden to the left
  std::optional<Dims> cursor = {};  // this cell is in brackets, and visible
  bool marks = true, sums = true;
  std::vector<std::string> hidden = {};  // numbers with these texts are shown as "?"
  std::optional<Dims> hidden_row = {};   // … and all numbers of this cell's row
  bool pictures = true;  // blocks for masked cells, one sentence of a batch: on a screen with an f to unfold
  TableCache* tables = nullptr;  // null: measure again
};

// Remains valid without the recording and its entry.
struct Grid {
  Lines lines;                   // made on demand: the time for one depends only on its columns
  std::optional<size_t> cursor;  // the line of the cursor
  bool long_one = false;         // there is something to fold
  bool marked = false;           // numbers have marks or colours
  bool masked = false;           // there are blocks for masked cells
  bool changed = false;          // some numbers have a ~ before them: they differ from a different run
  int64_t left_most = 0;         // the largest `left` that still shows something new
  int64_t left = 0;              // columns hidden to the left: as in the view, or moved to show the cursor
};

// Returns a number's colour, from its size in fifths of the largest, 0 … 4, and its sign.
Style style_of(int heat, int sign);

Grid grid(const Recording& recording, const Entry& entry, const GridView& view);

}  // namespace glassgrad::learn
