// A step as lines for the full screen.
#pragma once
#include "apps/show/grid.h"

namespace glassgrad::learn {

constexpr size_t kWidestText = 100;  // longer lines are hard to read

struct StepPageView : GridView {  // the cursor is in the tensor `focus`
  bool exact = false;             // tensors as PyTorch's text
  const Entry* focus = nullptr;
  std::string note = {};  // shown above everything, its first line in bold
  std::optional<size_t> code_line =
      {};                           // the line of the step's code with the cursor, which is then in no tensor
  std::optional<size_t> link = {};  // the link of the step's sentences with the cursor
};

struct StepPage {
  Lines lines;
  std::optional<size_t> cursor;  // the line of the cursor
  bool long_one = false;         // some tensor can be folded and unfolded
  bool marked = false;           // there are marks of size after numbers, or colours
  bool masked = false;           // there are blocks for masked cells
  bool changed = false;          // there are numbers with a ~ before them
  int64_t left_most = 0;         // how far the grids can move to the left
  int64_t left = 0;              // how far they have moved, the cursor's moves included
};

// Returns a step's page: sentences, formulas, PyTorch's lines, tensors.
StepPage page_of(const Recording& recording, const Step& step, const StepPageView& view);

}  // namespace glassgrad::learn
