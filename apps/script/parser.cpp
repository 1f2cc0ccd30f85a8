#include "apps/script/parser.h"

#include <algorithm>

#include "apps/script/resolve.h"

namespace glassgrad::script {
namespace {

bool same_value(const Value& a, const Value& b) {
  if (a.tag() != b.tag()) return false;
  if (a.is_float()) return a.real() == b.real();
  if (a.tag() != Tag::Object) return a.whole() == b.whole();
  return a.as<Str>()->text == b.as<Str>()->text;
}

bool same_part(const ExprPtr& a, const ExprPtr& b) { return a && b ? same(*a, *b) : !a && !b; }

// Returns whether two expressions of the same kind differ only in their parts.
bool same_form(const Expr& a, const Expr& b) {
  const auto named = [](const auto& x, const auto& y) { return x.kind == y.kind && x.name == y.name; };
  const auto equal = [](const auto& x, const auto& y, auto alike) {
    return std::equal(x.begin(), x.end(), y.begin(), y.end(), alike);
  };
  return a.text == b.text && equal(a.arguments, b.arguments, named) &&
         equal(a.clauses, b.clauses,
               [](const Clause& x, const Clause& y) { return x.conditions.size() == y.conditions.size(); }) &&
         bool(a.code) == bool(b.code) && (!a.code || equal(a.code->parameters, b.code->parameters, named));
}

std::vector<const ExprPtr*> parts(const Expr& x) {
  std::vector<const ExprPtr*> all;
  each_part(x, [&](const ExprPtr& part) { all.push_back(&part); });
  if (x.code) all.push_back(&x.code->body[0]->value);
  return all;
}

}  // namespace

bool same(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.depth != b.depth || a.binary != b.binary || a.unary != b.unary ||
      a.compares != b.compares || !same_form(a, b) ||
      (a.kind == Expr::Constant && !same_value(a.value, b.value)))
    return false;
  const auto x = parts(a), y = parts(b);
  return std::equal(x.begin(), x.end(), y.begin(), y.end(),
                    [](const ExprPtr* p, const ExprPtr* q) { return same_part(*p, *q); });
}

int Names::id(std::string_view name) {
  const auto found = ids.find(name);
  if (found != ids.end()) return found->second;
  names.emplace_back(name);
  return ids.emplace(name, static_cast<int>(names.size()) - 1).first->second;
}

Program parse(std::string_view text, std::string file, Names& names, int first_line) {
  const Source source(text, file, first_line);
  Program program{std::move(file), Parser(source).file(), {}};
  program.top.name = program.top.qualified_name = "<module>";
  program.top.document = Parser::document(program.body);
  resolve(program, names, source);
  return program;
}

}  // namespace glassgrad::script
