#include "apps/script/walk.h"

#include <algorithm>

namespace glassgrad::script {

void walk(const Body& body, const Visitor& visitor) {
  for (const auto& s : body) walk(*s, visitor);
}

void walk(const Statement& s, const Visitor& visitor) {
  if (visitor.statement) visitor.statement(s);
  const auto see = [&](const ExprPtr& x) {
    if (x) walk(*x, visitor);
  };
  see(s.value);
  see(s.message);
  for (const auto* all : {&s.targets, &s.items, &s.decorators})
    for (const ExprPtr& x : *all) see(x);
  const bool inner = s.kind == Statement::Def || s.kind == Statement::Class;
  if (inner && !visitor.into_functions) return;
  for (const Body* body : {&s.body, &s.other, &s.finally}) walk(*body, visitor);
  for (const Handler& h : s.handlers) {
    see(h.type);
    walk(h.body, visitor);
  }
  if (s.code) walk(s.code->body, visitor);
}

void walk(const Expr& x, const Visitor& visitor) {
  if (visitor.expression) visitor.expression(x);
  const auto see = [&](const ExprPtr& one) {
    if (one) walk(*one, visitor);
  };
  each_part(x, see);
  if (x.code && visitor.into_functions) walk(x.code->body, visitor);
}

namespace {

bool same_or_none(const ExprPtr& a, const ExprPtr& b) { return a && b ? same(*a, *b) : !a && !b; }
bool same_all(const std::vector<ExprPtr>& a, const std::vector<ExprPtr>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), same_or_none);
}
bool same_body(const Body& a, const Body& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& x, const auto& y) { return same(*x, *y); });
}

}  // namespace

bool same(const Statement& a, const Statement& b) {
  return a.kind == b.kind && a.text == b.text && a.binary == b.binary && same_or_none(a.value, b.value) &&
         same_or_none(a.message, b.message) && same_all(a.targets, b.targets) && same_all(a.items, b.items) &&
         same_body(a.body, b.body) && same_body(a.other, b.other) && same_body(a.finally, b.finally);
}

void each_name(const Expr& target, const std::function<void(const Expr&)>& f) {
  if (target.kind == Expr::Name) return f(target);
  if (target.kind == Expr::Starred) return each_name(*target.left, f);
  if (target.kind == Expr::Tuple || target.kind == Expr::List)
    for (const ExprPtr& one : target.items) each_name(*one, f);
}

namespace {

void gather(const Statement& s, std::vector<const Expr*>& names) {
  if (s.kind == Statement::Assign || s.kind == Statement::AugAssign || s.kind == Statement::AnnAssign ||
      s.kind == Statement::Yield)
    for (const ExprPtr& target : s.targets)
      each_name(*target, [&](const Expr& name) { names.push_back(&name); });
  if (s.kind == Statement::Def || s.kind == Statement::Class) return;
  for (const Body* body : {&s.body, &s.other, &s.finally})
    for (const auto& inner : *body) gather(*inner, names);
  for (const Handler& h : s.handlers)
    for (const auto& inner : h.body) gather(*inner, names);
}

}  // namespace

std::vector<const Expr*> assigned_names(const Statement& statement) {
  std::vector<const Expr*> names;
  gather(statement, names);
  return names;
}
std::vector<const Expr*> assigned_names(const Body& body) {
  std::vector<const Expr*> names;
  for (const auto& s : body) gather(*s, names);
  return names;
}

}  // namespace glassgrad::script
