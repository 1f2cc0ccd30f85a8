// The lessons as the explorer's page runs them: JSON texts in, JSON texts out, so that a WebAssembly module
// can hand them through. What goes wrong is told as {"error": text} and leaves everything as it was.
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

  // A lesson with the flags of DATA["flags"], or others. Gives DATA without the backward side, the graph, the
  // questions and the cells. Folds as DATA does, by its "most_cells".
  std::string open(std::string_view lesson, std::string_view flags, int64_t most_cells = kMostCells);
  // "STEP:TENSOR[i,j]=V", and that taken back; what is given is the same as of open.
  std::string set(std::string_view change);
  std::string take_back();
  // A line of the lesson's file with another text; the same.
  std::string edit(int line, std::string_view text);

  // Of the run as it is: {"numbers", "backward", "loss"}.
  std::string backward();
  std::string graph();      // GRAPH
  std::string questions();  // a list of QUESTION
  // CELL with its "product"; gradients have one, too. A number of the forward side has its "gradient" once
  // the backward passes have run: backward(), or a gradient's own cell, makes them.
  std::string cell(std::string_view address);
  // A tensor of either side whole, however large: {"numbers", "entry"}.
  std::string tensor(std::string_view address);
  // {"right", "over", "text"}: what there is to say about an answer after so many that were wrong.
  std::string judge(std::string_view question, std::string_view answer, int tries);

 private:
  const learn::Recording& forward() const;
  void check_open() const;
  // The same run once more with its backward passes, and what was made of it.
  struct BothSides;
  BothSides& both_sides();
  // Those of the side that the address belongs to.
  const Cells& cells(std::string_view address);
  // The run is a different one.
  void forget();
  Json data() const;

  const learn::Lesson* lesson_ = nullptr;
  std::optional<learn::Settings> settings_;
  int64_t most_cells_ = kMostCells;
  std::unique_ptr<learn::WhatIf> what_if_;  // without backward passes: a change is to be seen at once
  std::unique_ptr<Contents> contents_ = std::make_unique<Contents>();
  std::optional<Cells> cells_;             // of the forward side alone; made when first asked for
  std::unique_ptr<BothSides> both_sides_;  // the same
};

}  // namespace glassgrad::explorer
