// Draws a tensor as a grid. Rows and columns have names, and the axes have words. Each number has a colour
// for its sign and size (without colours, a mark for its size). A masked cell is a block, and a changed
// number has a ~ before it. Sums stand beside rows whose sum has a meaning. A batch shows only its first
// sentence until it is unfolded.
#pragma once
#include <map>
#include <memory>

#include "apps/show/tensor_table.h"
#include "apps/terminal/lines.h"

namespace glassgrad::learn {

// Caches measurements of whole tensors for the next drawing. Clear it before a recording is destroyed whose
// entries it has seen.
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
  Lines lines;                   // made on demand, in time that depends only on the shown columns
  std::optional<size_t> cursor;  // the line of the cursor
  bool long_one = false;         // the tensor can be folded
  bool marked = false;           // numbers have marks or colours
  bool masked = false;           // there are blocks for masked cells
  bool changed = false;          // some numbers have a ~ before them: they differ from the compared run
  int64_t left_most = 0;         // the largest `left` that still shows something new
  int64_t left = 0;              // columns hidden to the left, after moving to show the cursor
};

// Returns a number's colour, from its size in fifths of the largest, 0 … 4, and its sign.
Style style_of(int heat, int sign);

Grid grid(const Recording& recording, const Entry& entry, const GridView& view);

}  // namespace glassgrad::learn
