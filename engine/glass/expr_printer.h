// Writes expressions. ExprPrinter writes one line, with infix operators where they exist and parentheses only
// where they are needed; `arithmetic` writes all lines of a cell.
#pragma once
#include <functional>
#include <optional>
#include <unordered_map>

#include "cell_page.h"

namespace glassgrad::why {

// A list of more than kMostTerms shows the first and the last kEdge of them.
constexpr size_t kMostTerms = 8, kEdge = 3;
bool is_list(const ExprNode& node);  // a sum, product, maximum … of any number of terms
bool is_leaf(const ExprNode& node);
bool all_leaves(const std::vector<Expr>& terms);
// The terms that are shown, in order; the caller marks the gap after the first kEdge.
std::vector<Expr> shown_terms(const std::vector<Expr>& terms);

class ExprPrinter {
 public:
  using Names = std::function<Piece(const ExprNode&)>;
  ExprPrinter(const Names& name, bool exact) : name_(name), exact_(exact) {}

  // From now on, writes this subexpression as its label.
  void call(const Expr& e, std::string label) { labels_[e.operator->()] = std::move(label); }
  bool is_called(const Expr& e) const { return labels_.contains(e.operator->()); }
  const std::string& label(const Expr& e) const { return labels_.at(e.operator->()); }

  // names: "queries[2,0] · keys[1,0]". numbers: "0.8960 · -0.0298". values: like numbers, but an operand that
  // was itself computed shows its value instead of its arithmetic. `whole`: writes out e itself even if it
  // has a label.
  Text names(const Expr& e, bool whole = false) { return write(e, Mode::Names, whole); }
  Text numbers(const Expr& e, bool whole = false) { return write(e, Mode::Numbers, whole); }
  Text values(const Expr& e) { return write(e, Mode::Values, true); }
  std::string digits(const Expr& e) const { return digits_of(e.value(), exact_); }

  // Pads the k-th leaf that numbers() writes to widths[k]; empty: no padding.
  std::vector<size_t> widths;
  std::vector<size_t> leaves;  // the unpadded lengths of the last text's leaves

 private:
  enum class Mode : uint8_t { Names, Numbers, Values };

  Text write(const Expr& e, Mode mode, bool whole);
  void put(Text& text, const Expr& e, Mode mode, int around, bool whole);
  void put_leaf(Text& text, const Expr& e, Mode mode, int around);
  void put_operation(Text& text, const Expr& e, Mode mode, int around);
  void put_list(Text& text, const Expr& e, Mode mode, int around);
  void put_inside(Text& text, const Expr& e, Mode mode, int around);
  std::optional<Text> range(const std::vector<Expr>& terms) const;

  const Names& name_;
  bool exact_;
  std::unordered_map<const ExprNode*, std::string> labels_;
};

// Returns the lines that compute the cell called `result`, without its value at the end: labelled
// subexpressions first, then the cell itself, in names, then in numbers. `name` names a cell of the op's
// inputs. Of a sum with many terms, the first and the last ones are shown.
std::vector<Text> arithmetic(const Expr& tree, const std::string& result, const ExprPrinter::Names& name,
                             const FormatOptions& how);

}  // namespace glassgrad::why
