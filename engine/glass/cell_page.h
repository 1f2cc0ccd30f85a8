// Explains one number of a recording: a page with its arithmetic, and pages for the numbers that it was
// computed from. The caller supplies the names.
#pragma once
#include <functional>
#include <map>

#include "../core/error.h"
#include "recorder.h"

namespace glassgrad::why {

// A part of a line. operand: the index, in its page's list, of the cell that it names; -1: none.
struct Piece {
  std::string text;
  int operand = -1;
};
using Text = std::vector<Piece>;
std::string plain(const Text& text);

struct FormatOptions {
  bool exact = false;  // the shortest digits that read back the same, instead of PyTorch's four
  size_t columns = 79;
};
// Formats a number as the arithmetic shows it.
std::string digits_of(const Scalar& value, bool exact);

struct CellPage {
  std::vector<Text> lines;  // the last one is "= VALUE"
  // The first line of the arithmetic, after the heading and the list of operands.
  size_t arithmetic = 0;
  std::vector<SnapshotElement> operands;  // by Piece::operand: cells that can be opened in turn
  std::vector<std::string> names;         // the operands' names
  std::map<std::string, int> numbers;     // the operands by the text that stands for them

  // Returns `text` as the piece that names an operand, and lists the operand if this text is new.
  Piece operand(const std::string& text, const SnapshotElement& place, const std::string& name);
};

// Adds text to the page, wrapped to its width.
void add_filled(std::vector<Text>& lines, const std::string& text, size_t columns);

// Names the cells that an op read, for one page.
struct PageNames {
  std::string result;  // the name of the cell itself
  std::function<Piece(const ExprNode&)> operand;
  std::function<std::string()>
      elsewhere;  // text to show below the op once all operands have been named, or ""
};
// Adds a computed number to the page: the op, its operands, the arithmetic, and by how much the kernel's
// result differs if it adds in a different order.
void add_opened(CellPage& page, const Op& op, const Opened& opened, const Scalar& value,
                const PageNames& names, const FormatOptions& how);

// A number of a recording, with the page of its arithmetic.
struct ExplainedNumber {
  SnapshotElement place;
  std::string name, value;       // "projections:keys[1,0]", "0.1703"
  std::optional<Opened> opened;  // none: no call of the recording has computed it
  CellPage page;
  // True if the number cannot be followed further: it was given, drawn, or is a plain number of the program.
  bool is_origin() const;
};

struct ExplainOptions {
  FormatOptions writing;
  int64_t depth = 1;  // in calls: 1 is the one that wrote the cell, 2 also those that wrote what it read, …
};

// The lines of a number and of the numbers that it comes from, and its value.
struct Explanation {
  std::vector<Text> lines;
  std::string value;
};
// Thrown when an explanation would open more than kMostCells numbers.
constexpr size_t kMostCells = 200;
struct TooDeep : ValueError {
  using ValueError::ValueError;
};
// Explains breadth first, each number once. Throws TooDeep.
Explanation explain(const ExplainedNumber& first,
                    const std::function<ExplainedNumber(const SnapshotElement&)>& explained,
                    const ExplainOptions& how);
// The lines, and "= VALUE" as the last one.
std::string text_of(const Explanation& explanation);

}  // namespace glassgrad::why
