// How an expression is written in a line: infix where there is a sign for it, parentheses where they are
// needed.
#pragma once
#include <functional>
#include <optional>
#include <unordered_map>

#include "arithmetic.h"

namespace glassgrad::why {

// More terms than this are shown by the first and the last kEdge of them.
constexpr size_t kMostTerms = 8, kEdge = 3;
bool is_list(const Term& term);  // a sum, product, greatest of … any number of terms
bool is_leaf(const Term& term);
bool all_leaves(const std::vector<Expr>& terms);
// The terms that are shown, in order; the gap after the first kEdge is the user's.
std::vector<Expr> shown_terms(const std::vector<Expr>& terms);

class Notation {
 public:
  using Names = std::function<Piece(const Term&)>;
  Notation(const Names& name, bool exact) : name_(name), exact_(exact) {}

  // From now on this sub-expression is written as its label.
  void call(const Expr& e, std::string label) { labels_[e.operator->()] = std::move(label); }
  bool is_called(const Expr& e) const { return labels_.contains(e.operator->()); }
  const std::string& label(const Expr& e) const { return labels_.at(e.operator->()); }

  // names: "queries[2,0] · keys[1,0]"; numbers: "0.8960 · -0.0298"; values: what the operands have come to,
  // where numbers has more to do. `whole`: also where e itself has a label.
  Text names(const Expr& e, bool whole = false) { return write(e, Mode::Names, whole); }
  Text numbers(const Expr& e, bool whole = false) { return write(e, Mode::Numbers, whole); }
  Text values(const Expr& e) { return write(e, Mode::Values, true); }
  std::string digits(const Expr& e) const { return digits_of(e.value(), exact_); }

  // Pads the leaves that numbers() writes: the k-th to widths[k]; empty: as they are.
  std::vector<size_t> widths;
  std::vector<size_t> leaves;  // how long those of the last text are, unpadded

 private:
  enum class Mode : uint8_t { Names, Numbers, Values };

  Text write(const Expr& e, Mode mode, bool whole);
  void put(Text& text, const Expr& e, Mode mode, int around, bool whole);
  void put_leaf(Text& text, const Expr& e, Mode mode, int around);
  bool put_infix(Text& text, const Expr& e, Mode mode, int around);
  void put_other(Text& text, const Expr& e, Mode mode, int around);
  void put_list(Text& text, const Expr& e, Mode mode, int around);
  void put_inside(Text& text, const Expr& e, Mode mode, int around);
  std::optional<Text> range(const std::vector<Expr>& terms) const;

  const Names& name_;
  bool exact_;
  std::unordered_map<const Term*, std::string> labels_;
};

}  // namespace glassgrad::why
