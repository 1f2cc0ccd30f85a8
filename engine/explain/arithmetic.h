// Writes the arithmetic of one cell as lines of text: labelled subexpressions first, then the cell itself, in
// names, then in numbers.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "../glass/expression.h"

namespace glassgrad::why {

// A part of a line. operand: the index, in the caller's list, of the cell that it names; -1: none.
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

// Returns the lines that compute the cell called `result`, without its value at the end. `name` names a cell
// of the op's inputs. Of a sum with many terms, the first and the last ones are shown.
std::vector<Text> arithmetic(const Expr& tree, const std::string& result,
                             const std::function<Piece(const ExprNode&)>& name, const FormatOptions& how);

}  // namespace glassgrad::why
