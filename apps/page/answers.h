// Runs lessons for the explorer's page: JSON texts in, JSON texts out, so that a WebAssembly module can pass
// them on. An error is returned as {"error": text} and changes nothing.
#pragma once
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "apps/ask/what_if.h"
#include "apps/page/cell_data.h"
#include "apps/page/tensor_data.h"

namespace glassgrad::explorer {

class Engine {
 public:
  Engine();
  ~Engine();

  // Runs a lesson with flags in the form of DATA["flags"]. Returns DATA without the backward side, the
  // picture, the questions and the cells. Folds tensors with more than `most_cells` numbers, DATA's
  // "most_cells".
  std::string open(std::string_view lesson, std::string_view flags, int64_t most_cells = kMostCells);
  // Sets one number, "STEP:TENSOR[i,j]=V", or takes the last change back. Both return the same as open().
  std::string set(std::string_view change);
  std::string take_back();
  // Replaces a line of the lesson's file with a different text. Returns the same as open().
  std::string edit(int line, std::string_view text);

  // Returns {"numbers", "backward", "loss"} of the run with its changes.
  std::string backward();
  std::string picture();    // PICTURE
  std::string questions();  // a list of QUESTION
  // Returns CELL with its "product" and its "softmax", for gradients too. A number of the forward side has
  // its "gradient" only after the backward passes have run, which backward() and the first cell of a gradient
  // start.
  std::string cell(std::string_view address);
  // Returns a tensor of either side with all its numbers, however large it is: {"numbers", "entry"}.
  std::string tensor(std::string_view address);
  // Returns {"right", "over", "text"}: the reply to an answer after `tries` wrong answers.
  std::string judge(std::string_view question, std::string_view answer, int tries);

 private:
  const learn::Recording& forward() const;
  void check_open() const;
  // The same run recorded again with its backward passes, and what is derived from it.
  struct RunWithBackward;
  RunWithBackward& run_with_backward();
  // Returns the cells of the side that the address belongs to.
  const CellJson& cells(std::string_view address);
  // Drops what was derived from the previous run.
  void forget();
  Json data() const;

  const learn::Lesson* lesson_ = nullptr;
  std::optional<learn::Settings> settings_;
  int64_t most_cells_ = kMostCells;
  std::unique_ptr<learn::WhatIf> what_if_;  // without backward passes, so that a change shows at once
  std::unique_ptr<TensorTextCache> text_cache_ = std::make_unique<TensorTextCache>();
  std::optional<CellJson> cells_;  // of the forward side alone; made at the first request
  std::unique_ptr<RunWithBackward> run_with_backward_;  // made at the first request
};

}  // namespace glassgrad::explorer
