#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <unordered_set>

#include "../core/text_width.h"
#include "expr_printer.h"

namespace glassgrad::why {
namespace {

constexpr size_t kIndent = 2;

size_t width_of(const Text& text) { return columns_of(plain(text)); }

Text joined(Text a, const Text& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Breaks a line at spaces if it does not fit; the lines that follow are indented by `indent` columns.
void add_wrapped(std::vector<Text>& lines, const Text& text, size_t indent, size_t columns) {
  Text line;
  size_t taken = 0;
  bool fresh = true;  // the line holds only its indent so far
  for (const Piece& piece : text)
    for (size_t from = 0; from < piece.text.size();) {
      const size_t space = piece.text.find_first_not_of(' ', from);
      const size_t end = space == piece.text.npos ? space : piece.text.find(' ', space);
      std::string word = piece.text.substr(from, end - from);
      from = std::min(end, piece.text.size());
      const size_t width = columns_of(word);
      const bool is_word = word.find_first_not_of(' ') != word.npos;
      const bool after_blank = word[0] == ' ' || (!line.empty() && line.back().text.ends_with(' '));
      if (!fresh && taken + width > columns && is_word && after_blank) {
        line.back().text.erase(line.back().text.find_last_not_of(' ') + 1);
        lines.push_back(std::move(line));
        line = {{std::string(indent, ' ')}};
        taken = indent;
        word.erase(0, word.find_first_not_of(' '));
      }
      taken += columns_of(word);
      fresh = false;
      line.push_back({std::move(word), piece.operand});
    }
  lines.push_back(std::move(line));
}

class Writer {
 public:
  Writer(const ExprPrinter::Names& name, const FormatOptions& how) : printer_(name, how.exact), how_(how) {}

  std::vector<Text> write(const Expr& tree, const std::string& result) {
    collect(tree, true);
    for (const Expr& e : named_) {
      section(e);
      lines_.emplace_back();
    }
    result_ = result;
    last(tree);
    return std::move(lines_);
  }

 private:
  // ---- subexpressions that get their own lines
  void collect(const Expr& e, bool root) {
    const ExprNode& t = *e.operator->();
    if (is_leaf(t) || !seen_.insert(&t).second) return;
    for (const Expr& input : is_list(t) ? shown_terms(t.inputs) : t.inputs) collect(input, false);
    if (root) return;
    const bool has_label = !t.label.empty() && t.op != "draw" && t.op != "found";
    if (!has_label && !is_table(t)) return;
    printer_.call(e, unique(has_label ? t.label : t.op == "dot" ? "sum" : std::string(t.op)));
    named_.push_back(e);
  }
  static bool is_table(const ExprNode& t) {
    return is_list(t) && !all_leaves(t.inputs) && t.inputs.size() > 1;
  }
  std::string unique(const std::string& label) {
    const size_t n = ++labels_[label];
    return n == 1 ? label : fmt::format("{} {}", label, n);
  }

  // ---- lines
  void section(const Expr& e) {
    const std::string& label = printer_.label(e);
    if (is_table(*e.operator->())) {
      const std::string head = heading(*e.operator->());
      const bool says_it = head.starts_with(label + " of");
      lines_.push_back({{fmt::format("{}{}{}:", says_it ? "" : label, says_it ? "" : ", ", head)}});
      table(*e.operator->(), kIndent);
      lines_.push_back({{fmt::format("{} = {}", label, printer_.digits(e))}});
    } else {
      equation(label, e, true);
    }
  }

  void last(const Expr& tree) {
    const ExprNode& t = *tree.operator->();
    if (is_table(t)) {
      table(t, 0);
      lines_.push_back({{heading(t)}});
    } else if (t.op == "draw") {
      lines_.push_back({{fmt::format("drawn by the generator: {}", t.label)}});
    } else if (t.op == "number") {
      lines_.push_back({{fmt::format("{} = {}, a number that was given", result_, printer_.digits(tree))}});
    } else {
      equation(result_, tree, false);
    }
  }

  static std::string heading(const ExprNode& t) {
    const std::string op = t.op == "dot" ? "sum" : t.op == "prod" ? "product" : std::string(t.op);
    const bool products =
        std::all_of(t.inputs.begin(), t.inputs.end(), [](const Expr& e) { return e->op == "mul"; });
    const char* what = products ? "products" : "terms";
    if (t.op == "found") return fmt::format("{} of these {}", t.label, t.inputs.size());
    return fmt::format("{} of these {} {}", op, t.inputs.size(), what);
  }

  // Writes one term per row: in names, in numbers, and its value.
  void table(const ExprNode& t, size_t indent) {
    struct TermRow {
      Text names, numbers;
      std::string value;
    };
    std::vector<TermRow> rows;
    const std::vector<Expr> shown = shown_terms(t.inputs);
    align(shown);
    size_t names = 0, numbers = 0, values = 0;
    for (const Expr& e : shown) {
      const bool leaf = is_leaf(*e.operator->()) || printer_.is_called(e);
      rows.push_back({printer_.names(e), leaf ? Text{} : printer_.numbers(e), printer_.digits(e)});
      names = std::max(names, width_of(rows.back().names));
      numbers = std::max(numbers, width_of(rows.back().numbers));
      values = std::max(values, rows.back().value.size());
    }
    printer_.widths.clear();
    constexpr size_t kBetween = 3;
    const bool fits = indent + names + kBetween + numbers + 3 + values <= how_.columns;
    for (size_t i = 0; i < rows.size(); ++i) {
      if (i == kEdge && shown.size() < t.inputs.size())
        lines_.push_back(
            {{fmt::format("{}… {} more", std::string(indent, ' '), t.inputs.size() - shown.size())}});
      Text line = joined({{std::string(indent, ' ')}}, rows[i].names);
      if (fits) {
        line.push_back({std::string(names - width_of(rows[i].names) + kBetween, ' ')});
      } else {
        add_wrapped(lines_, line, indent + kIndent, how_.columns);
        line = {{std::string(indent + kIndent, ' ')}};
      }
      line = joined(line, rows[i].numbers);
      line.push_back({fmt::format("{}{} {}", std::string(numbers - width_of(rows[i].numbers), ' '),
                                  numbers ? " =" : "", right_aligned(rows[i].value, values))});
      fits ? lines_.push_back(line) : add_wrapped(lines_, line, indent + 2 * kIndent, how_.columns);
    }
  }

  // Right-aligns the k-th numbers of all rows, if all rows have equally many.
  void align(const std::vector<Expr>& rows) {
    printer_.widths.clear();
    std::vector<size_t> widths;
    for (const Expr& e : rows) {
      printer_.numbers(e);
      if (&e == &rows.front()) widths = printer_.leaves;
      if (printer_.leaves.size() != widths.size()) return;
      for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], printer_.leaves[i]);
    }
    printer_.widths = widths;
  }

  // Writes "mean = sum(x[0,0…2]) / 3", below it the same in numbers, and then with the operands' values if
  // these had to be computed.
  void equation(const std::string& label, const Expr& e, bool with_value) {
    const size_t indent = columns_of(label);
    std::vector<Text> steps = {printer_.names(e, true), printer_.numbers(e, true)};
    const ExprNode& t = *e.operator->();
    if (!is_list(t) && plain(printer_.values(e)) != plain(steps[1])) steps.push_back(printer_.values(e));
    if (t.op == "cell") steps.pop_back();
    const std::string value = printer_.digits(e);
    if (with_value && plain(steps.back()) != value) {
      const bool fits = indent + 6 + width_of(steps.back()) + value.size() <= how_.columns;
      fits ? steps.back().push_back({" = " + value}) : steps.push_back({{value}});
    }
    std::string before = label;
    for (const Text& step : steps) {
      add_wrapped(lines_, joined({{before + " = "}}, step), indent + 3, how_.columns);
      before = std::string(indent, ' ');
    }
  }

  ExprPrinter printer_;
  const FormatOptions& how_;
  std::string result_;
  std::unordered_set<const ExprNode*> seen_;
  std::map<std::string, size_t> labels_;
  std::vector<Expr> named_;
  std::vector<Text> lines_;
};

}  // namespace

std::vector<Text> arithmetic(const Expr& tree, const std::string& result, const ExprPrinter::Names& name,
                             const FormatOptions& how) {
  return Writer(name, how).write(tree, result);
}

}  // namespace glassgrad::why
