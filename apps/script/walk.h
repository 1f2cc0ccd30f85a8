// Visits all nodes of a tree.
#pragma once
#include <functional>

#include "apps/script/ast.h"

namespace glassgrad::script {

struct Visitor {
  std::function<void(const Statement&)> statement = {};  // called before its parts
  std::function<void(const Expr&)> expression = {};      // called before its operands
  bool into_functions = false;  // also visits the bodies of functions, classes and lambdas
};
void walk(const Body& body, const Visitor& visitor);
void walk(const Statement& statement, const Visitor& visitor);
void walk(const Expr& expression, const Visitor& visitor);

// True if two trees are equal; ignores their places in the text.
bool same(const Statement& a, const Statement& b);

// The names that an assignment's target binds: each Name in it, `a` and `b` of `a, b`.
void each_name(const Expr& target, const std::function<void(const Expr&)>& f);
// The names that assignments bind, also in loops and branches; without the targets of for and with, and
// without the bodies of functions and classes.
std::vector<const Expr*> assigned_names(const Body& body);
std::vector<const Expr*> assigned_names(const Statement& statement);

}  // namespace glassgrad::script
