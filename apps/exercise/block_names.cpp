#include "apps/exercise/block_names.h"

#include <algorithm>
#include <functional>

#include "apps/script/walk.h"

namespace glassgrad::exercise {
namespace {

using script::Expr;
using script::Statement;

void add(std::vector<std::string>& all, const std::string& name) {
  if (!name.empty() && !name.starts_with('_') && std::find(all.begin(), all.end(), name) == all.end())
    all.push_back(name);
}

void each_operand(const Expr& x, const std::function<void(const Expr&)>& f) {
  if (x.kind == Expr::Lambda || !x.clauses.empty()) return;
  const auto see = [&](const script::ExprPtr& one) {
    if (one) f(*one);
  };
  see(x.left);
  see(x.right);
  for (const auto& one : x.items) see(one);
  for (const auto& a : x.arguments) see(a.value);
}

}  // namespace

std::string path_of(const Expr& target) {
  if (target.kind == Expr::Name) return target.text;
  if (target.kind == Expr::Subscript) return path_of(*target.left);
  if (target.kind != Expr::Attribute) return "";
  const std::string before = path_of(*target.left);
  return before.empty() ? "" : before + "." + target.text;
}

BlockNames names_in(const script::Body& body, const Exercise& exercise) {
  const int begin = static_cast<int>(exercise.before.size()) + 1,
            end = begin + static_cast<int>(exercise.solution.size());
  const auto in_blank = [&](int line) { return line >= begin && line < end; };
  BlockNames names;
  script::Visitor visitor;
  visitor.into_functions = true;
  std::unordered_set<const Statement*> own;  // in functions and classes that the solution defines
  visitor.statement = [&](const Statement& s) {
    if (!in_blank(s.where.line) || own.contains(&s)) return;
    if (s.kind == Statement::Def || s.kind == Statement::Class) {
      script::Visitor inside;
      inside.into_functions = true;
      inside.statement = [&](const Statement& inner) { own.insert(&inner); };
      script::walk(s, inside);
    }
    const bool binds =
        s.kind == Statement::Assign || s.kind == Statement::AugAssign || s.kind == Statement::AnnAssign;
    if (!binds) return;
    for (const auto& target : s.targets) {
      if (target->kind == Expr::Attribute || target->kind == Expr::Subscript)
        add(names.solution, path_of(*target));
      script::each_name(*target, [&](const Expr& x) { add(names.solution, x.text); });
    }
  };
  visitor.expression = [&](const Expr& x) {
    if (x.kind != Expr::Name) return;
    if (!in_blank(x.where.line)) names.outside.insert(x.text);
    add(names.all, x.text);
  };
  script::walk(body, visitor);
  return names;
}

void find_live(std::span<const std::unique_ptr<Statement>> body, std::set<std::string>& live,
               std::set<std::string>& bound) {
  for (const auto& s : body) {
    std::set<const Expr*> targets;
    const auto is_target = [&](const Expr& x) { targets.insert(&x); };
    if (s->kind == Statement::Assign || s->kind == Statement::Def || s->kind == Statement::Class)
      for (const auto& target : s->targets) script::each_name(*target, is_target);
    for (const auto& imported : s->imports) script::each_name(*imported.target, is_target);
    script::Visitor visitor;
    visitor.into_functions = true;
    visitor.expression = [&](const Expr& x) {
      const bool is_global = x.kind == Expr::Name && x.scope == script::Scope::Global;
      if (is_global && !targets.contains(&x) && !bound.contains(x.text)) live.insert(x.text);
    };
    script::walk(*s, visitor);
    for (const Expr* target : targets) bound.insert(target->text);
  }
}

const Expr* failed_in(const Statement& s, const std::unordered_set<const Expr*>& evaluated) {
  const Expr* found = nullptr;
  const std::function<void(const Expr&)> descend = [&](const Expr& x) {
    if (found || evaluated.contains(&x)) return;
    each_operand(x, descend);
    if (!found) found = &x;
  };
  if (s.value) descend(*s.value);
  return found;
}

}  // namespace glassgrad::exercise
