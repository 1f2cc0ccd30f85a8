// Prints the trees of programs, in the form in which tests/script/trees.py prints Python's own:
//
// script_tree FILE...    one node per line, its parts indented below it; or the error
#include <fmt/core.h>

#include <bit>
#include <fstream>
#include <iterator>

#include "apps/script/ast.h"

namespace glassgrad::script {
namespace {

constexpr const char* kBinary[] = {"+", "-", "*", "/", "//", "%", "**", "@", "&", "|", "^", "<<", ">>"};
constexpr const char* kUnary[] = {"-", "+", "~", "not"};
constexpr const char* kCompare[] = {"==", "!=", "<", "<=", ">", ">=", "is", "is not", "in", "not in"};
constexpr const char* kExpr[] = {
    "Constant", "Name",      "FString",    "Formatted",   "Tuple",    "List",   "Set",
    "Dict",     "Attribute", "Subscript",  "Slice",       "Starred",  "Unary",  "Binary",
    "BoolAnd",  "BoolOr",    "Comparison", "Conditional", "Call",     "Lambda", "ListOf",
    "SetOf",    "DictOf",    "Generator",  "Yield",       "YieldFrom"};
constexpr const char* kStatement[] = {"Expression", "Assign",   "AugAssign", "AnnAssign",  "If",     "While",
                                      "For",        "Break",    "Continue",  "Pass",       "Return", "Def",
                                      "Class",      "Raise",    "Assert",    "Try",        "With",   "Delete",
                                      "Global",     "Nonlocal", "Import",    "ImportFrom", "Yield"};

std::string quoted(std::string_view text) {
  std::string out;
  for (const char c : text)
    out += c < 0x20 || c > 0x7e || c == '\\' ? fmt::format("\\x{:02x}", static_cast<unsigned char>(c))
                                             : std::string(1, c);
  return '"' + out + '"';
}

std::string constant(const Value& x) {
  if (x.is_none()) return "None";
  if (x.is_bool()) return x.boolean() ? "True" : "False";
  if (x.is_int()) return fmt::format("int {}", x.whole());
  if (x.is_float()) return fmt::format("float {:016x}", std::bit_cast<uint64_t>(x.real()));
  const Str* const text = x.as<Str>();
  return text ? quoted(text->text) : "...";
}

class Printer {
 public:
  void body(const Body& body, int level) {
    for (const auto& s : body) statement(*s, level);
  }

 private:
  void line(int level, std::string_view text) { fmt::print("{:{}}{}\n", "", level, text); }
  void part(const ExprPtr& x, int level, bool places) {
    x ? expression(*x, level, places) : line(level, "-");
  }

  void parameters(const Code& code, int level, bool places) {
    constexpr const char* kKinds[] = {"plain", "star", "keyword", "doublestar"};
    for (const Parameter& p : code.parameters) {
      line(level, fmt::format("{} {}", kKinds[p.kind], p.name));
      if (p.fallback) expression(*p.fallback, level + 1, places);
    }
  }

  void expression(const Expr& x, int level, bool places) {
    std::string text = kExpr[x.kind];
    if (x.kind == Expr::Constant) text += " " + constant(x.value);
    if (!x.text.empty()) text += " " + x.text;
    if (x.kind == Expr::Binary) text += fmt::format(" {}", kBinary[static_cast<int>(x.binary)]);
    if (x.kind == Expr::Unary) text += fmt::format(" {}", kUnary[static_cast<int>(x.unary)]);
    for (const Compare op : x.compares) text += fmt::format(" {}", kCompare[static_cast<int>(op)]);
    if (places)
      text += fmt::format(" {}:{}-{}:{}", x.where.line, x.where.column, x.where.end_line, x.where.end_column);
    line(level, text);
    const bool inside = places && x.kind != Expr::FString;
    if (x.left) part(x.left, level + 1, inside);
    if (x.right) part(x.right, level + 1, inside);
    for (const ExprPtr& item : x.items) part(item, level + 1, inside);
    for (const Argument& a : x.arguments) {
      constexpr const char* kKinds[] = {"", "*", "=", "**"};
      if (a.kind != Argument::Positional) line(level + 1, fmt::format("{}{}", a.name, kKinds[a.kind]));
      part(a.value, level + 1, inside);
    }
    for (const Clause& clause : x.clauses) {
      line(level + 1, "for");
      part(clause.target, level + 2, inside);
      part(clause.iterable, level + 2, inside);
      for (const ExprPtr& condition : clause.conditions) part(condition, level + 2, inside);
    }
    if (x.code) {
      parameters(*x.code, level + 1, inside);
      part(x.code->body[0]->value, level + 1, inside);
    }
  }

  void block(const char* name, const Body& body_, int level) {
    if (body_.empty()) return;
    line(level, name);
    body(body_, level + 1);
  }

  void statement(const Statement& s, int level) {
    std::string text = kStatement[s.kind];
    if (s.kind == Statement::Yield) text = s.targets.empty() ? "Expression" : "Assign";
    if (s.kind == Statement::AugAssign) text += fmt::format(" {}=", kBinary[static_cast<int>(s.binary)]);
    if (!s.text.empty() && s.kind != Statement::AnnAssign) text += " " + s.text;
    const bool names_only = s.kind == Statement::Global || s.kind == Statement::Nonlocal ||
                            s.kind == Statement::Def || s.kind == Statement::Class;
    if (names_only)
      for (const ExprPtr& target : s.targets) text += " " + target->text;
    line(level, fmt::format("{} {}:{} {}", text, s.where.line, s.where.column, s.last_line));
    for (const ExprPtr& decorator : s.decorators) part(decorator, level + 1, true);
    if (!names_only)
      for (const ExprPtr& target : s.targets) part(target, level + 1, true);
    if (s.value) part(s.value, level + 1, true);
    if (s.message) part(s.message, level + 1, true);
    for (const ExprPtr& item : s.items) part(item, level + 1, true);
    for (const auto& imported : s.imports)
      line(level + 1, fmt::format("{} {}", imported.name, imported.named ? imported.target->text : "-"));
    if (s.kind == Statement::Def) {
      parameters(*s.code, level + 1, true);
      body(s.code->body, level + 1);
    }
    body(s.body, level + 1);
    for (const Handler& handler : s.handlers) {
      line(level + 1, fmt::format("except {}", handler.name ? handler.name->text : "-"));
      part(handler.type, level + 2, true);
      body(handler.body, level + 2);
    }
    block("else", s.other, level + 1);
    block("finally", s.finally, level + 1);
  }
};

}  // namespace
}  // namespace glassgrad::script

int main(int argc, char** argv) {
  using namespace glassgrad::script;
  for (int i = 1; i < argc; ++i) {
    std::ifstream file(argv[i], std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(file), {}};
    fmt::print("\f{}\n", argv[i]);
    Heap heap(size_t{1} << 30);
    try {
      Names names;
      const Program program = parse(text, "f", names);
      Printer().body(program.body, 0);
    } catch (const SyntaxError& e) {
      fmt::print("{}{}:{}: {}: {}{}{}\n", e.unsupported() ? "unsupported " : "", e.line, e.column, e.kind(),
                 e.text, e.hint.empty() ? "" : "; ", e.hint);
    }
  }
}
