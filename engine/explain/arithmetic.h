// The arithmetic of one cell in lines of text: sub-expressions that have a name first, then the cell itself,
// in names, then in numbers.
#pragma once
#include <functional>
#include <string>
#include <vector>

#include "../glass/expression.h"

namespace glassgrad::why {

// A part of a line. operand: which cell it names, as its user counts them; -1: none.
struct Piece {
  std::string text;
  int operand = -1;
};
using Text = std::vector<Piece>;
std::string plain(const Text& text);

struct TextStyle {
  bool exact = false;  // the shortest digits that read back the same, not PyTorch's four
  size_t columns = 79;
};
// A number as a sum shows it.
std::string digits_of(const Scalar& value, bool exact);

// The lines that lead to the cell called `result`; the number itself is not among them. `name` says what to
// call a cell of the op's inputs. Of a sum with many terms the first and the last are shown.
std::vector<Text> arithmetic(const Expr& tree, const std::string& result,
                             const std::function<Piece(const Term&)>& name, const TextStyle& how);

}  // namespace glassgrad::why
