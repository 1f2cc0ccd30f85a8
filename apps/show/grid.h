// A tensor as a grid: names on rows and columns, what the axes count, a colour of its sign and size behind
// every number (a mark of its size after it where there are no colours), a block for a cell that a mask has
// taken out, a ~ before those that have changed, row sums beside the rows that have a sum worth seeing. Of a
// batch the first sentence, until it is unfolded.
#pragma once
#include <map>
#include <memory>

#include "apps/show/table.h"
#include "apps/terminal/lines.h"

namespace glassgrad::learn {

// What is measured in whole tensors, kept for the next time they are drawn. To be cleared when a recording
// goes whose entries it has seen.
class Tables {
 public:
  std::shared_ptr<const Table> of(const Recording& recording, const Entry& entry);
  void clear() { tables_.clear(); }

 private:
  std::map<const Entry*, std::shared_ptr<const Table>> tables_;
};

struct GridView {
  size_t columns = 80;              // of the screen
  bool folded = true;               // long dimensions show their first and last only
  int64_t left = 0;                 // columns of the tensor that are out of sight to the left
  std::optional<Dims> cursor = {};  // this cell stands in brackets, and in sight
  bool marks = true, sums = true;
  std::vector<std::string> hidden = {};  // numbers that read like these are shown as "?"
  std::optional<Dims> hidden_row = {};   // … and all numbers of this cell's row
  bool pictures = true;  // blocks for masked cells, one sentence of a batch: on a screen with an f to unfold
  Tables* tables = nullptr;  // null: measured anew
};

// Needs neither the recording nor its entry any more.
struct Grid {
  Lines lines;                   // however long the tensor is, making one takes as long as its columns do
  std::optional<size_t> cursor;  // the line in which it stands
  bool long_one = false;         // there is something to fold
  bool marked = false;           // numbers have marks or colours
  bool masked = false;           // there are blocks for masked cells
  bool changed = false;          // some have a ~ before them: they differ from those of another run
  int64_t left_most = 0;         // the largest `left` that still shows something new
  int64_t left = 0;  // what is out of sight to the left: as in the view, or moved to show the cursor
};

// A number's colour: its size in fifths of the largest, 0 … 4, and its sign.
Style style_of(int heat, int sign);

Grid grid(const Recording& recording, const Entry& entry, const GridView& view);

}  // namespace glassgrad::learn
