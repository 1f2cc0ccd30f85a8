// The parts of the parser that Python's own parser has no counterpart for, such as slots and cells.
// tests/script/test_parser.py compares trees and error texts with Python's.
#include <array>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "apps/script/ast.h"

using namespace glassgrad::script;

namespace {

struct Parsed {
  Heap heap{size_t{1} << 30};
  Names names;
  Program program;
  explicit Parsed(std::string_view text, int first_line = 1)
      : program(parse(text, "a.md", names, first_line)) {}
  const Statement& statement(size_t i) const { return *program.body[i]; }
};

std::string refused(std::string_view text) {
  try {
    const Parsed parsed(text);
  } catch (const SyntaxError& e) {
    return fmt::format("{}: {}{}", e.kind(), e.what(), e.hint.empty() ? "" : "; " + e.hint);
  }
  return "nothing";
}

std::string place(const Expr& x) {
  constexpr const char* kScopes[] = {"global", "local", "cell", "class"};
  std::string text = fmt::format("{} {}", x.text, kScopes[static_cast<int>(x.scope)]);
  if (x.scope == Scope::Class) return text + fmt::format(", or {}", kScopes[static_cast<int>(x.outside)]);
  return x.scope == Scope::Global ? text : text + fmt::format(" {}", x.id);
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += all.empty() ? name : " " + name;
  return all;
}

std::string repeated(std::string_view text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

}  // namespace

TEST_CASE("parameters and locals have slots in the order of the text") {
  const Parsed p("def f(a, b):\n  c = a\n  return b + c + d\n");
  const Code& f = *p.statement(0).code;
  CHECK(joined(f.slot_names) == "a b c");
  CHECK(f.slots == 3);
  CHECK(f.own_cells == 0);
  CHECK(place(*f.body[0]->targets[0]) == "c local 2");
  CHECK(place(*f.body[1]->value->right) == "d global");
  CHECK(joined(p.names.names) == "f d");  // a local is not among the global names
}

TEST_CASE("a name that an inner function reads lives in a cell") {
  const Parsed p(
      "def f(a):\n  b = 1\n  def g():\n    def h():\n      return a + b\n    return h\n  return g\n");
  const Code& f = *p.statement(0).code;
  const Code& g = *f.body[1]->code;
  const Code& h = *g.body[0]->code;
  CHECK(joined(f.cell_names) == "a b");
  CHECK(f.own_cells == 2);
  CHECK(f.cell_of_slot == std::vector<int>{0});
  CHECK(joined(f.slot_names) == "a g");
  CHECK(g.own_cells == 0);
  CHECK(joined(g.cell_names) == "a b");
  CHECK(g.captured == std::vector<int>{0, 1});
  CHECK(h.captured == std::vector<int>{0, 1});
  CHECK(place(*h.body[0]->value->right) == "b cell 1");
  CHECK(h.qualified_name == "f.<locals>.g.<locals>.h");
}

TEST_CASE("nonlocal binds the cell of the function around global the program s name") {
  const Parsed p(
      "x = 0\ndef f():\n  n = 0\n  def up():\n    nonlocal n\n    global x\n    n = x = 1\n  up()\n");
  const Statement& assign = *p.statement(1).code->body[1]->code->body[2];
  CHECK(place(*assign.targets[0]) == "n cell 0");
  CHECK(place(*assign.targets[1]) == "x global");
}

TEST_CASE("targets of a comprehension have slots of their own in the frame around") {
  const Parsed p("x = [x for x in y if x]\n");
  const Expr& list = *p.statement(0).value;
  CHECK(place(*p.statement(0).targets[0]) == "x global");
  CHECK(place(*list.left) == "x local 0");
  CHECK(place(*list.clauses[0].iterable) == "y global");
  CHECK(list.clauses[0].slots == std::vector<int>{0});
  CHECK(p.program.top.slots == 1);
}

TEST_CASE("a target that a lambda captures is a cell new each time the comprehension runs") {
  const Parsed p("def f():\n  return [lambda: (i, j) for i in a for j in b]\n");
  const Code& f = *p.statement(0).code;
  const Expr& list = *f.body[0]->value;
  CHECK(joined(f.cell_names) == "i j");
  CHECK(list.clauses[0].cells == std::vector<int>{0});
  CHECK(list.clauses[1].cells == std::vector<int>{1});
  CHECK(list.left->code->captured == std::vector<int>{0, 1});
}

TEST_CASE("a name in a class is looked for in the class first then where the class stands") {
  const Parsed p(
      "def f(a):\n  class C:\n    b = a\n    a = b\n    c = [b for _ in b]\n    def m(self): return b, a\n");
  const Statement& c = *p.statement(0).code->body[0];
  CHECK(place(*c.body[0]->value) == "a class, or global");  // the class binds it
  CHECK(place(*c.body[0]->targets[0]) == "b class, or global");
  CHECK(place(*c.body[2]->value->left) == "b global");  // a comprehension does not see the class
  CHECK(place(*c.body[2]->value->clauses[0].iterable) == "b class, or global");
  CHECK(place(*c.body[3]->code->body[0]->value->items[1]) == "a cell 0");
  CHECK(c.body[3]->code->qualified_name == "f.<locals>.C.m");
}

TEST_CASE("super reads the cell __class__ of the class around through functions inside") {
  const Parsed p("class C:\n  def f(self):\n    return lambda: super().f()\n  def g(self): pass\n");
  const Statement& c = p.statement(0);
  CHECK(joined(c.code->cell_names) == "__class__");
  CHECK(c.code->own_cells == 1);
  CHECK(joined(c.body[0]->code->cell_names) == "__class__");
  CHECK(joined(c.body[1]->code->cell_names) == "");
}

TEST_CASE("docstrings and where things stand") {
  const Parsed p("'''Of the program.'''\ndef f():\n  'Of f.'\n  return (1 +\n    2)\n", 10);
  CHECK(p.program.top.document == "Of the program.");
  const Statement& f = p.statement(1);
  CHECK(f.code->document == "Of f.");
  CHECK(f.where.line == 11);
  CHECK(f.where.end_column == 8);  // the end of its head
  CHECK(f.last_line == 14);
  CHECK(f.code->body[1]->where.line == 13);
}

TEST_CASE("programs of one lesson share their global names") {
  const Heap heap(1 << 20);
  Names names;
  const Program first = parse("a = 1\nb = 2\n", "a.md", names);
  const Program second = parse("b\n", "a.md", names, 5);
  CHECK(second.body[0]->value->id == first.body[1]->targets[0]->id);
  CHECK(second.body[0]->where.line == 5);
}

TEST_CASE("the same expression wherever it stands") {
  const Parsed p(
      "a @ b.T / c[1:, 0] ** 0.5\n\n(  a@b.T /c[1 :,0]**5e-1)\na @ b.T / c[1:, 0] ** 0.25\nlambda x: [y for y in x]\n"
      "lambda x : [ y for y in x ]\nlambda x: [y for y in x if y]\nf(a, *b, c=1)\nf(a, *b, d=1)\nf'{a:>{b}}'\nf'{a:<{b}}'\n'a'\n'b'\n");
  const auto x = [&](size_t i) -> const Expr& { return *p.statement(i).value; };
  CHECK(same(x(0), x(1)));
  CHECK_FALSE(same(x(0), x(2)));
  CHECK(same(x(3), x(4)));
  CHECK_FALSE(same(x(3), x(5)));
  CHECK_FALSE(same(x(6), x(7)));
  CHECK_FALSE(same(x(8), x(9)));
  CHECK_FALSE(same(x(10), x(11)));
}

TEST_CASE("errors name file line and column in characters") {
  CHECK(refused("x = 1\ny = = 2\n") == "SyntaxError: a.md:2:5: invalid syntax");
  CHECK(refused("é = 'ä' + )\n") == "SyntaxError: a.md:1:11: unmatched ')'");
  CHECK(refused("if x:\ny\n") ==
        "IndentationError: a.md:2:1: expected an indented block after 'if' statement on line 1");
  CHECK(
      refused("x = 3j\n") ==
      "SyntaxError: a.md:1:5: complex numbers are not supported; keep the real and the imaginary part in a tensor of two columns");
  CHECK_THROWS_AS(Parsed("x = = 1", 7), const SyntaxError&);
}

TEST_CASE("any bytes are refused or read and lines end in any way") {
  CHECK(refused("x = 1\ny = '\xff'\n") == "SyntaxError: a.md:2:6: byte 0xff is not valid UTF-8");
  CHECK(refused(std::string_view("x = 1\0", 6)) ==
        "SyntaxError: a.md:1:6: source code cannot contain null bytes");
  CHECK(refused("\xef\xbb\xbfx = 1") == "nothing");
  CHECK(refused("") == "nothing");
  CHECK(refused("\n\n  # nothing\n\f") == "nothing");
  const Parsed p("if x:\r\n  y = '''a\r\nb'''\rz = 1");
  CHECK(p.statement(0).body[0]->value->value.as<Str>()->text == "a\nb");
  CHECK(p.statement(1).where.line == 4);
  CHECK(refused("x = " + std::string(kMaxSource, '1')).starts_with("SyntaxError: a.md:1:1: a program of"));
}

TEST_CASE("depth is limited length is not") {
  const std::string deep = fmt::format("an expression of more than {} levels", kMaxDepth);
  for (const auto& [before, inner, after] : {std::array<std::string_view, 3>{"-", "1", ""},
                                             {"not ", "1", ""},
                                             {"1 ** ", "1", ""},
                                             {"1 + ", "1", ""},
                                             {"", "x", ".a"},
                                             {"", "x", "()"},
                                             {"", "x", "[0]"},
                                             {"lambda: ", "1", ""},
                                             {"1 if 1 else ", "1", ""}}) {
    const auto text = [&, before = before, inner = inner, after = after](int n) {
      return "x = " + repeated(before, n) + std::string(inner) + repeated(after, n);
    };
    CHECK(refused(text(kMaxDepth - 2)) == "nothing");
    CHECK(refused(text(2000)).find(deep) != std::string::npos);
  }
  CHECK(refused(repeated("(", 200) + "1" + repeated(")", 200)) == "nothing");
  CHECK(refused(repeated("[", 201)).ends_with("too many nested parentheses"));
  CHECK(refused("if a: pass\n" + repeated("elif a: pass\n", 5000)).find("elif are not supported") !=
        std::string::npos);
  CHECK(refused(repeated("x = ", 5000) + "1") == "nothing");
  CHECK(refused("x = 1" + repeated(" and 1", 5000)) == "nothing");
  CHECK(refused("x = 1" + repeated(" < 1", 5000)) == "nothing");
  std::string blocks;
  for (int i = 0; i < kMaxIndentation; ++i) blocks += std::string(static_cast<size_t>(i), ' ') + "if a:\n";
  CHECK(refused(blocks + std::string(kMaxIndentation, ' ') + "pass")
            .ends_with("too many levels of indentation"));
}
