#include "expr_printer.h"

#include <fmt/core.h>

#include <algorithm>
#include <array>

#include "../core/text_width.h"
#include "../print.h"

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

// How an operation is written: signs and operands in turn, and how tightly each operand must bind.
struct Form {
  struct Part {
    std::string_view sign;
    int operand = -1;
    Binding binding = kLoose;
  };
  std::string_view op;
  Binding own;
  Part parts[3];
};
constexpr Form kForms[] = {
    {"add", kSum, {{"", 0, kSum}, {" + ", 1, kSum}}},
    {"sub", kSum, {{"", 0, kSum}, {" - ", 1, kProduct}}},
    {"mul", kProduct, {{"", 0, kProduct}, {" · ", 1, kSign}}},
    {"div", kProduct, {{"", 0, kProduct}, {" / ", 1, kSign}}},
    {"pow", kPower, {{"", 0, kAtom}, {" ** ", 1, kAtom}}},
    {"power", kPower, {{"", 0, kAtom}, {" ** ", 1, kAtom}}},
    {"fmod", kProduct, {{"", 0, kProduct}, {" fmod ", 1, kSign}}},
    {"remainder", kProduct, {{"", 0, kProduct}, {" % ", 1, kSign}}},
    {"floor_divide", kProduct, {{"", 0, kProduct}, {" // ", 1, kSign}}},
    {"eq", kCompare, {{"", 0, kBits}, {" == ", 1, kBits}}},
    {"ne", kCompare, {{"", 0, kBits}, {" != ", 1, kBits}}},
    {"lt", kCompare, {{"", 0, kBits}, {" < ", 1, kBits}}},
    {"le", kCompare, {{"", 0, kBits}, {" <= ", 1, kBits}}},
    {"gt", kCompare, {{"", 0, kBits}, {" > ", 1, kBits}}},
    {"ge", kCompare, {{"", 0, kBits}, {" >= ", 1, kBits}}},
    {"and", kAnd, {{"", 0, kAnd}, {" and ", 1, kNot}}},
    {"or", kOr, {{"", 0, kOr}, {" or ", 1, kAnd}}},
    {"bitwise_and", kBits, {{"", 0, kAtom}, {" & ", 1, kAtom}}},
    {"bitwise_or", kBits, {{"", 0, kAtom}, {" | ", 1, kAtom}}},
    {"bitwise_xor", kBits, {{"", 0, kAtom}, {" ^ ", 1, kAtom}}},
    {"neg", kSign, {{"-", 0, kPower}}},
    {"not", kNot, {{"not ", 0, kNot}}},
    {"bitwise_not", kSign, {{"~", 0, kPower}}},
    {"square", kAtom, {{"", 0, kAtom}, {"²"}}},
    {"fma", kSum, {{"", 0, kProduct}, {" · ", 1, kProduct}, {" + ", 2, kSum}}},
    {"where", kChoice, {{"", 1, kOr}, {" if ", 0, kOr}, {" else ", 2, kOr}}},
};

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
  put_operation(text, e, mode, around);
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

void ExprPrinter::put_operation(Text& text, const Expr& e, Mode mode, int around) {
  const ExprNode& t = *e.operator->();
  const auto* form =
      std::find_if(std::begin(kForms), std::end(kForms), [&](const Form& f) { return f.op == t.op; });
  if (form != std::end(kForms)) {
    const bool parted = form->own < around;
    if (parted) append(text, "(");
    for (const Form::Part& part : form->parts) {
      if (!part.sign.empty()) append(text, std::string(part.sign));
      if (part.operand >= 0) put_inside(text, t.inputs[size_t(part.operand)], mode, part.binding);
    }
    if (parted) append(text, ")");
  } else if (is_list(t)) {
    put_list(text, e, mode, around);
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
