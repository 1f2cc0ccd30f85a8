// What is told of one number of a recording, whoever calls it what: a page with its arithmetic, the pages of
// those that it goes back to, and the same as a tree.
#pragma once
#include "../core/error.h"
#include "../glass/recorder.h"
#include "arithmetic.h"

namespace glassgrad::why {

struct CellPage {
  std::vector<Text> lines;         // the last one is "= VALUE"
  size_t arithmetic = 0;           // the first line after those that say what it is and what it reads
  std::vector<Element> operands;   // by Piece::operand: cells that can be opened in turn
  std::vector<std::string> names;  // what each is called
};

// Words filled into lines of the page.
void add_filled(std::vector<Text>& lines, const std::string& text, size_t columns);

// Who names the cells that an op read, on one page.
struct PageNames {
  std::string result;  // what the cell itself is called
  std::function<Piece(const Term&)> operand;
  std::function<std::string()>
      elsewhere;  // what to say below the op when all operands have been named, or ""
};
// Adds to the page what is told of a number that a call has computed: the op, what it reads, the arithmetic,
// and by how much the kernel, which adds in a different order, rounds differently.
void add_opened(CellPage& page, const Op& op, const Opened& opened, const Scalar& value,
                const PageNames& names, const TextStyle& how);

// A number of a recording as its arithmetic is told.
struct Account {
  Element place;
  std::string name, value;       // "projections:keys[1,0]", "0.1703"
  std::optional<Opened> opened;  // none: nothing in the recording has computed it
  CellPage page;
  // Nothing further to follow: it was there before, was drawn, or is a number of the program.
  bool is_origin() const;
};

struct ExplainOptions {
  TextStyle writing;
  int64_t depth = 1;  // calls: 1 is the one that wrote the cell, 2 also those that wrote what it read, …
};

// The lines of a number and of those that it goes back to, and its value.
struct Explanation {
  std::vector<Text> lines;
  std::string value;
};
// It would take more than kMostCells numbers.
constexpr size_t kMostCells = 200;
struct TooDeep : ValueError {
  using ValueError::ValueError;
};
// Breadth first, each number once. TooDeep
Explanation explain(const Account& first, const std::function<Account(const Element&)>& account,
                    const ExplainOptions& how);
// The lines, and "= VALUE" as the last one.
std::string text_of(const Explanation& explanation);

}  // namespace glassgrad::why
