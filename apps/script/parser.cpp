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

template <class T, class Same>
bool same_all(const std::vector<T>& a, const std::vector<T>& b, Same equal) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), equal);
}

}  // namespace

bool same(const Expr& a, const Expr& b) {
  if (a.kind != b.kind || a.text != b.text || a.depth != b.depth || a.binary != b.binary ||
      a.unary != b.unary || a.compares != b.compares || bool(a.code) != bool(b.code))
    return false;
  return same_value(a.value, b.value) && same_part(a.left, b.left) && same_part(a.right, b.right) &&
         same_all(a.items, b.items, same_part) &&
         same_all(a.arguments, b.arguments,
                  [](const Argument& x, const Argument& y) {
                    return x.kind == y.kind && x.name == y.name && same(*x.value, *y.value);
                  }) &&
         same_all(a.clauses, b.clauses,
                  [](const Clause& x, const Clause& y) {
                    return same(*x.target, *y.target) && same(*x.iterable, *y.iterable) &&
                           same_all(x.conditions, y.conditions, same_part);
                  }) &&
         (!a.code || (same_all(a.code->parameters, b.code->parameters,
                               [](const Parameter& x, const Parameter& y) {
                                 return x.kind == y.kind && x.name == y.name &&
                                        same_part(x.fallback, y.fallback);
                               }) &&
                      same(*a.code->body[0]->value, *b.code->body[0]->value)));
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
