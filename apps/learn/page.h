// A step as lines for the full screen.
#pragma once
#include "apps/learn/grid.h"

namespace glassgrad::learn {

struct PageView : GridView {
  bool exact = false;  // tensors as PyTorch's text
};

struct Page {
  std::vector<Line> lines;
  bool long_one = false;  // some tensor can be folded and unfolded
  bool marked = false;    // there are marks of size after numbers
  bool changed = false;   // there are numbers with a ~
  int64_t left_most = 0;  // how far the grids can move to the left
};

// Sentences, formulas, PyTorch's lines, tensors.
Page page_of(const Recording& recording, const Step& step, const PageView& view);

}  // namespace glassgrad::learn
