// Looks at all of a tree.
#pragma once
#include <functional>

#include "apps/script/ast.h"

namespace glassgrad::script {

struct Visitor {
  std::function<void(const Statement&)> statement = {};  // before what it holds
  std::function<void(const Expr&)> expression = {};      // before its operands
  bool into_functions = false;  // into the bodies of functions, classes and lambdas, too
};
void walk(const Body& body, const Visitor& visitor);
void walk(const Statement& statement, const Visitor& visitor);
void walk(const Expr& expression, const Visitor& visitor);

// The same tree, wherever it stands in the text.
bool same(const Statement& a, const Statement& b);

// The names that an assignment's target binds: each Name in it, `a` and `b` of `a, b`.
void each_name(const Expr& target, const std::function<void(const Expr&)>& f);
// The names that assignments in it bind, loops and branches included: not targets of for and with, no
// functions.
std::vector<const Expr*> assigned_names(const Body& body);
std::vector<const Expr*> assigned_names(const Statement& statement);

}  // namespace glassgrad::script
