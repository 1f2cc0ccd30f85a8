// Takes yields out of expressions, so that a generator stops only between statements: f(a, (yield b)) becomes
// <0> = f; <1> = a; <2> = yield b; <0>(<1>, <2>). The temporary names cannot occur in a program.
#include <fmt/core.h>

#include "apps/script/parser.h"
#include "apps/script/resolve.h"

namespace glassgrad::script {
namespace {

bool is_yield(const ExprPtr& x) { return x->kind == Expr::Yield || x->kind == Expr::YieldFrom; }

bool contains_yield(const ExprPtr& x) {
  if (!x || is_yield(x)) return static_cast<bool>(x);
  bool any = false;
  each_part(*x, [&](const ExprPtr& part) { any = any || contains_yield(part); });
  return any;
}

class YieldHoister {
 public:
  explicit YieldHoister(const Source& source) : source_(source) {}
  bool found = false;

  void body(Body& all) {
    Body out;
    for (StatementPtr& s : all) statement(std::move(s), out);
    all = std::move(out);
  }
  void refuse_in(const ExprPtr& x) const {
    if (contains_yield(x)) refuse(*x);
  }

 private:
  void statement(StatementPtr s, Body& out) {
    refuse_in(s->message);
    for (const auto* all : {&s->targets, &s->decorators})
      for (const ExprPtr& x : *all) refuse_in(x);
    if (s->code)
      for (const Parameter& p : s->code->parameters) refuse_in(p.fallback);
    for (const Handler& h : s->handlers) refuse_in(h.type);
    for (size_t k = 1; k < s->items.size(); ++k) refuse_in(s->items[k]);
    if (s->kind == Statement::Class) return refuse_in(s->value), out.push_back(std::move(s));
    for (Body* const inner : {&s->body, &s->other, &s->finally}) body(*inner);
    for (Handler& h : s->handlers) body(h.body);
    at_ = s.get();
    if (!s->items.empty() && contains_yield(s->items[0])) hoist(s->items[0], out);
    if (contains_yield(s->value)) {
      if (s->kind == Statement::While) refuse(*s->value);
      if (s->kind == Statement::AugAssign) load_target(*s, out);
      if ((s->kind == Statement::Expression || s->kind == Statement::Assign) && is_yield(s->value)) {
        if (contains_yield(s->value->left)) hoist(s->value->left, out);
        s->kind = Statement::Yield;
        found = true;
      } else {
        hoist(s->value, out);
      }
    }
    out.push_back(std::move(s));
  }

  // x += (yield) becomes <0> = x; <0> += (yield); x = <0>. The last statement is `s`, the caller's.
  void load_target(Statement& s, Body& out) {
    ExprPtr& target = s.targets[0];
    for (ExprPtr* const part : {&target->left, &target->right}) spill(*part, out);
    ExprPtr before = copy(*target);
    keep(before, out);
    hoist(s.value, out);
    StatementPtr add = begin(Statement::AugAssign);
    add->binary = s.binary;
    add->targets.push_back(copy(*before));
    add->value = std::move(s.value);
    out.push_back(std::move(add));
    s.kind = Statement::Assign;
    s.value = std::move(before);
  }

  [[noreturn]] void refuse(const Expr& x) const {
    source_.fail(x.where.line, x.where.column, "yield is not supported here", SyntaxError::Unsupported,
                 "give its value a name first: x = yield …");
  }
  // Adds to `out` what evaluates x up to its last yield, and replaces those parts of x by names.
  void hoist(ExprPtr& x, Body& out) {
    // Not all parts of these are evaluated, or not once.
    for (const auto kind : {Expr::BoolAnd, Expr::BoolOr, Expr::Conditional, Expr::Lambda, Expr::ListOf,
                            Expr::SetOf, Expr::DictOf, Expr::Generator})
      if (x->kind == kind) refuse(*x);
    if (x->kind == Expr::Comparison && x->items.size() > 2) refuse(*x);
    found = true;
    std::vector<ExprPtr*> parts;
    size_t end = 0;
    each_part(*x, [&](const ExprPtr& part) {
      parts.push_back(const_cast<ExprPtr*>(&part));
      if (contains_yield(part)) end = parts.size();
    });
    for (size_t k = 0; k < end; ++k) {
      if (contains_yield(*parts[k])) hoist(*parts[k], out);
      if (k + 1 < end) spill(*parts[k], out);
    }
    if (is_yield(x)) keep(x, out, Statement::Yield);
  }
  // Evaluates x before what follows.
  void spill(ExprPtr& x, Body& out) {
    if (!x || x->kind == Expr::Constant || x->text.starts_with('<')) return;
    if (x->kind != Expr::Starred && x->kind != Expr::SliceOf && x->kind != Expr::Formatted)
      return keep(x, out);
    each_part(*x, [&](const ExprPtr& part) { spill(const_cast<ExprPtr&>(part), out); });
  }
  // Adds: NAME = x, and replaces x by the name.
  void keep(ExprPtr& x, Body& out, Statement::Kind kind = Statement::Assign) {
    StatementPtr s = begin(kind);
    ExprPtr name = node(Expr::Name, x->where);
    name->text = fmt::format("<{}>", names_++);
    s->targets.push_back(copy(*name));
    s->value = std::exchange(x, std::move(name));
    out.push_back(std::move(s));
  }

  StatementPtr begin(Statement::Kind kind) const {
    auto s = std::make_unique<Statement>();
    s->kind = kind;
    s->where = at_->where;
    s->last_line = at_->last_line;
    return s;
  }
  static ExprPtr node(Expr::Kind kind, const Span& where) {
    auto x = std::make_unique<Expr>();
    x->kind = kind;
    x->where = where;
    return x;
  }
  // Copies a name, a constant, or an attribute or item of these.
  static ExprPtr copy(const Expr& x) {
    ExprPtr made = node(x.kind, x.where);
    made->text = x.text;
    made->value = x.value;
    if (x.left) made->left = copy(*x.left);
    if (x.right) made->right = copy(*x.right);
    for (const ExprPtr& item : x.items) made->items.push_back(item ? copy(*item) : nullptr);
    return made;
  }

  const Source& source_;
  const Statement* at_ = nullptr;
  int names_ = 0;
};

}  // namespace

bool hoist_yields(Code& code, const Source& source) {
  YieldHoister hoister(source);
  if (code.name == "<lambda>")
    hoister.refuse_in(code.body[0]->value);
  else
    hoister.body(code.body);
  return hoister.found;
}

}  // namespace glassgrad::script
