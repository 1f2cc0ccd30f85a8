#include "expr_printer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "../print.h"
#include "text_width.h"

namespace glassgrad::why {
namespace {

// How tightly an operation binds. An operand that binds less tightly than required is put in parentheses.
enum Binding : int {
  kLoose,
  kChoice,
  kOr,
  kAnd,
  kNot,
  kCompare,
  kBits,
  kSum,
  kProduct,
  kSign,
  kPower,
  kAtom
};

struct Infix {
  std::string_view op, sign;
  int left, own, right;
};
constexpr Infix kInfix[] = {
    {"add", " + ", kSum, kSum, kSum},
    {"sub", " - ", kSum, kSum, kProduct},
    {"mul", " · ", kProduct, kProduct, kSign},
    {"div", " / ", kProduct, kProduct, kSign},
    {"pow", " ** ", kAtom, kPower, kAtom},
    {"power", " ** ", kAtom, kPower, kAtom},
    {"fmod", " fmod ", kProduct, kProduct, kSign},
    {"remainder", " % ", kProduct, kProduct, kSign},
    {"floor_divide", " // ", kProduct, kProduct, kSign},
    {"eq", " == ", kBits, kCompare, kBits},
    {"ne", " != ", kBits, kCompare, kBits},
    {"lt", " < ", kBits, kCompare, kBits},
    {"le", " <= ", kBits, kCompare, kBits},
    {"gt", " > ", kBits, kCompare, kBits},
    {"ge", " >= ", kBits, kCompare, kBits},
    {"and", " and ", kAnd, kAnd, kNot},
    {"or", " or ", kOr, kOr, kAnd},
    {"bitwise_and", " & ", kAtom, kBits, kAtom},
    {"bitwise_or", " | ", kAtom, kBits, kAtom},
    {"bitwise_xor", " ^ ", kAtom, kBits, kAtom},
};

struct Prefix {
  std::string_view op, sign;
  int own, inside;
};
constexpr Prefix kPrefix[] = {
    {"neg", "-", kSign, kPower}, {"not", "not ", kNot, kNot}, {"bitwise_not", "~", kSign, kPower}};

bool casts_visibly(const ExprNode& t) {
  return is_floating(t.value.dtype) != is_floating(t.inputs[0].dtype());
}

std::string_view type_word(DType dtype) {
  return is_floating(dtype) ? "float" : dtype == boolean ? "bool" : "int";
}

// True if the terms are cells of one input, each one step further along the same dimension.
bool follow_each_other(const std::vector<Expr>& terms) {
  const Dims& first = terms[0]->index;
  for (size_t i = 0; i < terms.size(); ++i) {
    if (terms[i]->op != "cell" || terms[i]->input != terms[0]->input) return false;
    int64_t further = 0;
    int moved = 0;
    for (int d = 0; d < first.n; ++d) {
      further += terms[i]->index[d] - first[d];
      moved += terms[i]->index[d] != first[d];
    }
    if (moved > 1 || further != static_cast<int64_t>(i)) return false;
  }
  return true;
}

// Formats a number of the formula itself: "1" and "1e-05", not "1.0000" and "1.0000e-05".
std::string constant(const Scalar& value, bool exact) {
  constexpr size_t kShort = 6;
  const std::string all = digits_of(value, true);
  return all.size() <= kShort ? all : digits_of(value, exact);
}

void append(Text& text, std::string more) { text.push_back({std::move(more)}); }

}  // namespace

bool is_leaf(const ExprNode& node) { return node.inputs.empty() && !is_list(node); }

bool is_list(const ExprNode& node) {
  constexpr std::array<std::string_view, 8> kLists = {"sum", "dot", "prod", "max",
                                                      "min", "all", "any",  "found"};
  if (std::find(kLists.begin(), kLists.end(), node.op) == kLists.end()) return false;
  return node.op != "max" && node.op != "min" ? true : !node.inputs.empty();
}

bool all_leaves(const std::vector<Expr>& terms) {
  return std::all_of(terms.begin(), terms.end(), [](const Expr& e) { return is_leaf(*e.operator->()); });
}

std::vector<Expr> shown_terms(const std::vector<Expr>& terms) {
  if (terms.size() <= kMostTerms) return terms;
  std::vector<Expr> shown(terms.begin(), terms.begin() + kEdge);
  shown.insert(shown.end(), terms.end() - kEdge, terms.end());
  return shown;
}

std::string digits_of(const Scalar& value, bool exact) {
  if (value.dtype == boolean) return value.whole ? "True" : "False";
  if (!is_floating(value.dtype)) return std::to_string(value.whole);
  if (!exact) return digits(value.real);
  return value.dtype != float64 ? fmt::format("{}", float(value.real)) : fmt::format("{}", value.real);
}

std::string plain(const Text& text) {
  std::string all;
  for (const Piece& piece : text) all += piece.text;
  return all;
}

Text ExprPrinter::write(const Expr& e, Mode mode, bool whole) {
  Text text;
  leaves.clear();
  put(text, e, mode, kLoose, whole);
  return text;
}

// Puts an expression in parentheses if it binds less tightly than its surroundings.
void ExprPrinter::put(Text& text, const Expr& e, Mode mode, int around, bool whole) {
  const ExprNode& t = *e.operator->();
  if (is_leaf(t) || (!whole && is_called(e))) return put_leaf(text, e, mode, around);
  if (t.op == "cast" && !casts_visibly(t)) return put(text, t.inputs[0], mode, around, whole);
  if (!put_infix(text, e, mode, around)) put_other(text, e, mode, around);
}

// Writes a part of the current expression.
void ExprPrinter::put_inside(Text& text, const Expr& e, Mode mode, int around) {
  if (mode == Mode::Values) return put_leaf(text, e, Mode::Numbers, around);
  put(text, e, mode, around, false);
}

void ExprPrinter::put_leaf(Text& text, const Expr& e, Mode mode, int around) {
  const ExprNode& t = *e.operator->();
  const bool in_names = mode == Mode::Names;
  if (in_names && is_called(e)) {
    const std::string& label = this->label(e);
    const bool has_signs = label.find_first_of("+/") != label.npos && around > kLoose;
    return append(text, has_signs ? fmt::format("({})", label) : label);
  }
  if (in_names && t.op == "cell") return text.push_back(name_(t));
  if (in_names && t.op == "draw") return append(text, "drawn: " + t.label);
  std::string number = t.op == "number" ? constant(e.value(), exact_) : digits(e);
  if (number.starts_with('-') && around > kSign) number = fmt::format("({})", number);
  if (!in_names) {
    const size_t width = leaves.size() < widths.size() ? widths[leaves.size()] : 0;
    leaves.push_back(number.size());
    number = right_aligned(number, std::max(width, number.size()));
  }
  append(text, number);
}

bool ExprPrinter::put_infix(Text& text, const Expr& e, Mode mode, int around) {
  const ExprNode& t = *e.operator->();
  if (t.inputs.size() != 2) return false;
  const auto* row =
      std::find_if(std::begin(kInfix), std::end(kInfix), [&](const Infix& i) { return i.op == t.op; });
  if (row == std::end(kInfix)) return false;
  const bool parted = row->own < around;
  if (parted) append(text, "(");
  put_inside(text, t.inputs[0], mode, row->left);
  append(text, std::string(row->sign));
  put_inside(text, t.inputs[1], mode, row->right);
  if (parted) append(text, ")");
  return true;
}

void ExprPrinter::put_other(Text& text, const Expr& e, Mode mode, int around) {
  const ExprNode& t = *e.operator->();
  const auto parted = [&](int own, auto write) {
    if (own < around) append(text, "(");
    write();
    if (own < around) append(text, ")");
  };
  if (is_list(t)) {
    put_list(text, e, mode, around);
  } else if (const auto* row = std::find_if(std::begin(kPrefix), std::end(kPrefix),
                                            [&](const Prefix& p) { return p.op == t.op; });
             row != std::end(kPrefix)) {
    parted(row->own, [&] {
      append(text, std::string(row->sign));
      put_inside(text, t.inputs[0], mode, row->inside);
    });
  } else if (t.op == "square") {
    put_inside(text, t.inputs[0], mode, kAtom);
    append(text, "²");
  } else if (t.op == "fma") {
    parted(kSum, [&] {
      put_inside(text, t.inputs[0], mode, kProduct);
      append(text, " · ");
      put_inside(text, t.inputs[1], mode, kProduct);
      append(text, " + ");
      put_inside(text, t.inputs[2], mode, kSum);
    });
  } else if (t.op == "where") {
    parted(kChoice, [&] {
      put_inside(text, t.inputs[1], mode, kOr);
      append(text, " if ");
      put_inside(text, t.inputs[0], mode, kOr);
      append(text, " else ");
      put_inside(text, t.inputs[2], mode, kOr);
    });
  } else if (t.op == "pick") {
    put_inside(text, t.inputs[0], mode, around);
    for (size_t i = 1; i < t.inputs.size() && mode == Mode::Names; ++i) {  // indices and their values
      append(text, i == 1 ? " (" : ", ");
      put_inside(text, t.inputs[i], mode, kLoose);
      append(text, fmt::format(" = {}{}", digits(t.inputs[i]), i + 1 == t.inputs.size() ? ")" : ""));
    }
  } else {
    append(text, fmt::format("{}(", t.op == "cast" ? type_word(t.value.dtype) : t.op));
    for (size_t i = 0; i < t.inputs.size(); ++i) {
      if (i > 0) append(text, ", ");
      put_inside(text, t.inputs[i], mode, kLoose);
    }
    append(text, ")");
  }
}

// In names "max(scores[2,0…5])"; in numbers a sum is spelt out: "0.1 + 0.2".
void ExprPrinter::put_list(Text& text, const Expr& e, Mode mode, int around) {
  const ExprNode& t = *e.operator->();
  const std::string function = t.op == "found" ? t.label : t.op == "dot" ? "sum" : std::string(t.op);
  if (mode == Mode::Names) {
    if (const auto all = range(t.inputs)) {
      append(text, function + "(");
      text.insert(text.end(), all->begin(), all->end());
      return append(text, ")");
    }
  }
  const bool adds = t.op == "sum" || t.op == "dot", multiplies = t.op == "prod";
  const bool infix = mode != Mode::Names && (adds || multiplies);
  const std::string between = !infix ? ", " : adds ? " + " : " · ";
  const bool parted = !infix || around > kSum;
  if (parted) append(text, infix ? "(" : function + "(");
  const std::vector<Expr> shown = shown_terms(t.inputs);
  for (size_t i = 0; i < shown.size(); ++i) {
    if (i > 0) append(text, between);
    if (i == kEdge && shown.size() < t.inputs.size()) append(text, "…" + between);
    put_inside(text, shown[i], mode, infix ? kSum + 1 : kLoose);
  }
  if (parted) append(text, ")");
}

// Returns "scores[2,0…5]" for cells that follow each other along one dimension, both in the tensor that the
// op read and in the names of the first and the last cell. A view is affine, so the names in between follow
// too.
std::optional<Text> ExprPrinter::range(const std::vector<Expr>& terms) const {
  if (terms.size() < 3) return {};
  std::vector<std::string> names;
  if (!follow_each_other(terms)) return {};
  for (const Expr& e : shown_terms(terms)) {
    if (e->op != "cell" || is_called(e)) return {};
    names.push_back(name_(*e.operator->()).text);
  }
  const std::string &first = names.front(), &last = names.back();
  const auto same = std::mismatch(first.begin(), first.end(), last.begin(), last.end());
  auto from = static_cast<size_t>(same.first - first.begin());
  while (from > 0 && first[from - 1] != '[' && first[from - 1] != ',') --from;
  const auto number_at = [&](const std::string& name) {
    const size_t end = name.find_first_of(",]", from);
    return std::pair(name.substr(from, end - from), end == name.npos ? "" : name.substr(end));
  };
  const auto [low, rest] = number_at(first);
  const auto [high, rest_of_last] = number_at(last);
  if (from == 0 || rest.empty() || rest != rest_of_last) return {};
  for (size_t i = 0; i < names.size(); ++i) {
    const size_t at = i < kEdge || names.size() == terms.size() ? i : terms.size() - names.size() + i;
    const std::string number = std::to_string(std::atoll(low.c_str()) + static_cast<long long>(at));
    if (names[i] != fmt::format("{}{}{}", first.substr(0, from), number, rest)) return {};
  }
  return Text{{fmt::format("{}{}…{}{}", first.substr(0, from), low, high, rest)}};
}

}  // namespace glassgrad::why
