#include <fmt/core.h>

#include <algorithm>
#include <set>

#include "apps/script/parser.h"

namespace glassgrad::script {
namespace {

constexpr Operator kBinary[] = {
    {"|", BinaryOp::BitOr, 0}, {"^", BinaryOp::BitXor, 1},    {"&", BinaryOp::BitAnd, 2},
    {"<<", BinaryOp::Shl, 3},  {">>", BinaryOp::Shr, 3},      {"+", BinaryOp::Add, 4},
    {"-", BinaryOp::Sub, 4},   {"*", BinaryOp::Mul, 5},       {"/", BinaryOp::Div, 5},
    {"%", BinaryOp::Mod, 5},   {"//", BinaryOp::FloorDiv, 5}, {"@", BinaryOp::MatMul, 5},
    {"**", BinaryOp::Pow, 6}};  // parsed by factor()

// In the order of Expr::Kind.
constexpr std::pair<Expr::Kind, std::string_view> kKindNames[] = {
    {Expr::Constant, "literal"},
    {Expr::Name, "name"},
    {Expr::FString, "f-string expression"},
    {Expr::Formatted, "f-string expression"},
    {Expr::Tuple, "tuple"},
    {Expr::List, "list"},
    {Expr::Set, "set display"},
    {Expr::Dict, "dict literal"},
    {Expr::Attribute, "attribute"},
    {Expr::Subscript, "subscript"},
    {Expr::SliceOf, "subscript"},
    {Expr::Starred, "starred"},
    {Expr::Unary, "expression"},
    {Expr::Binary, "expression"},
    {Expr::BoolAnd, "expression"},
    {Expr::BoolOr, "expression"},
    {Expr::Comparison, "comparison"},
    {Expr::Conditional, "conditional expression"},
    {Expr::Call, "function call"},
    {Expr::Lambda, "lambda"},
    {Expr::ListOf, "list comprehension"},
    {Expr::SetOf, "set comprehension"},
    {Expr::DictOf, "dict comprehension"},
    {Expr::Generator, "generator expression"},
    {Expr::Yield, "yield expression"},
    {Expr::YieldFrom, "yield expression"}};

}  // namespace

const Operator* binary_operator(std::string_view text) {
  for (const Operator& x : kBinary)
    if (x.text == text) return &x;
  return nullptr;
}

std::string_view name_of(const Expr& x) {
  if (x.kind != Expr::Constant) return kKindNames[x.kind].second;
  const Tag tag = x.value.tag();
  if (tag == Tag::Bool) return x.value.boolean() ? "True" : "False";
  return tag == Tag::None ? "None" : tag == Tag::Ellipsis ? "ellipsis" : "literal";
}

bool is_target(const Expr& x) {
  return x.kind == Expr::Name || x.kind == Expr::Attribute || x.kind == Expr::Subscript;
}

const Expr* not_a_target(const Expr& x, bool starred) {
  if (x.kind == Expr::Starred) return starred ? not_a_target(*x.left, false) : &x;
  if (x.kind != Expr::Tuple && x.kind != Expr::List) return is_target(x) ? nullptr : &x;
  for (const ExprPtr& item : x.items)
    if (const Expr* const wrong = not_a_target(*item)) return wrong;
  return nullptr;
}

void Parser::fail(const Span& where, std::string text, SyntaxError::Type type) const {
  // If a bracket is unclosed, report that instead of the error after it.
  const Token& open = source_.unclosed;
  if (!open.text.empty() && (at(Token::End) || token().where.line > open.where.line))
    source_.fail(open.where.line, open.where.column, fmt::format("'{}' was never closed", open.text));
  source_.fail(where.line, where.column, std::move(text), type);
}

void Parser::invalid() const {
  const bool indentation = at(Token::Indent) || at(Token::Dedent);
  if (at("await") || at("async"))
    refuse(token().where, "async and await are not supported", "call the function as it is");
  fail(token().where,
       at(Token::Indent)   ? "unexpected indent"
       : at(Token::Dedent) ? "unexpected unindent"
                           : "invalid syntax",
       indentation ? SyntaxError::Indentation : SyntaxError::Syntax);
}

void Parser::refuse(const Span& where, std::string text, std::string hint) const {
  source_.fail(where.line, where.column, std::move(text), SyntaxError::Unsupported, std::move(hint));
}

void Parser::too_deep(const Span& where) const {
  refuse(where, fmt::format("an expression of more than {} levels is not supported", kMaxDepth),
         "give a part of it a name");
}

void Parser::check_target(const Expr& x) const {
  if (const Expr* const wrong = not_a_target(x))
    fail(wrong->where, fmt::format("cannot assign to {}", name_of(*wrong)));
}

ExprPtr Parser::node(Expr::Kind kind, const Span& start) {
  auto x = std::make_unique<Expr>();
  x->kind = kind;
  x->where = start;
  return x;
}

void Parser::end(Span& where) const {
  const Span& last = tokens_[at_ - 1].where;
  where.end_line = last.end_line;
  where.end_column = last.end_column;
}

ExprPtr Parser::done(ExprPtr x) const {
  int below = x->code ? x->code->body[0]->value->depth : 0;
  each_part(*x, [&](const ExprPtr& part) {
    if (part) below = std::max(below, part->depth);
  });
  x->depth = below + 1;
  if (x->depth > kMaxDepth) too_deep(x->where);
  end(x->where);
  return x;
}

ExprPtr Parser::constant(const Span& start, Value value) const {
  ExprPtr x = node(Expr::Constant, start);
  x->value = std::move(value);
  return done(std::move(x));
}

ExprPtr Parser::name_node() {
  ExprPtr x = node(Expr::Name, token().where);
  x->text = name();
  return done(std::move(x));
}

bool Parser::starts_expression() const {
  const Token& t = token();
  if (t.kind == Token::Name || t.kind == Token::Number || t.kind == Token::String || t.kind == Token::FStart)
    return true;
  for (const char* const text :
       {"(", "[", "{", "-", "+", "~", "...", "not", "lambda", "None", "True", "False", "await"})
    if (at(text)) return true;
  return false;
}

bool Parser::ends_list() const {
  return at(Token::Newline) || at("=") || at(")") || at("]") || at("}") || at(":") || at("in") || at(";") ||
         at(Token::End);
}

ExprPtr Parser::starred() {
  ExprPtr x = node(Expr::Starred, token().where);
  next();
  x->left = binary();
  return done(std::move(x));
}

ExprPtr Parser::expressions() {
  return maybe_tuple([&] { return at("*") ? starred() : expression(); });
}

ExprPtr Parser::expressions_or_yield() {
  if (!at("yield")) return expressions();
  ExprPtr x = node(Expr::Yield, token().where);
  next();
  if (eat("from")) {
    x->kind = Expr::YieldFrom;
    x->left = expression();
  } else if (starts_expression() || at("*")) {
    x->left = expressions();
  }
  if (brackets_ == 0 && at("=")) fail(x->where, "assignment to yield expression not possible");
  return done(std::move(x));
}

ExprPtr Parser::named() {
  ExprPtr x = expression();
  if (at(":="))
    refuse(token().where, "assignment inside an expression (:=) is not supported",
           "assign on a line of its own");
  return x;
}

ExprPtr Parser::condition() {
  ExprPtr x = named();
  no_assignment(*x);
  return x;
}

void Parser::no_assignment(const Expr& x) {
  if (!at("=")) return;
  if (x.kind == Expr::Name) fail(x.where, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
  fail(x.where, fmt::format("cannot assign to {} here. Maybe you meant '==' instead of '='?", name_of(x)));
}

ExprPtr Parser::expression() {
  const Level level(*this);
  if (at("lambda")) return lambda();
  const Span start = token().where;
  ExprPtr x = disjunction();
  if (at("if")) {
    ExprPtr conditional = node(Expr::Conditional, start);
    next();
    conditional->left = disjunction();
    if (!at("else")) {
      if (at(":")) invalid();
      fail(start, "expected 'else' after 'if' expression");
    }
    next();
    conditional->items.push_back(std::move(x));
    conditional->items.push_back(expression());
    return done(std::move(conditional));
  }
  const bool print = x->kind == Expr::Name && (x->text == "print" || x->text == "exec");
  if ((brackets_ > 0 || print) && starts_expression() && !at("not") &&
      !(!print && x->kind == Expr::Name && at(Token::String))) {
    expression();  // a second expression right after the first
    if (print)
      fail(start, fmt::format("Missing parentheses in call to '{0}'. Did you mean {0}(...)?", x->text));
    fail(start, "invalid syntax. Perhaps you forgot a comma?");
  }
  return x;
}

ExprPtr Parser::boolean(Expr::Kind kind, std::string_view word, ExprPtr (Parser::*operand)()) {
  const Span start = token().where;
  ExprPtr x = (this->*operand)();
  if (!at(word)) return x;
  ExprPtr all = node(kind, start);
  all->items.push_back(std::move(x));
  while (eat(word)) all->items.push_back((this->*operand)());
  return done(std::move(all));
}

ExprPtr Parser::unary(const std::vector<std::pair<Span, UnaryOp>>& operators, ExprPtr x) const {
  for (auto i = operators.rbegin(); i != operators.rend(); ++i) {
    ExprPtr outer = node(Expr::Unary, i->first);
    outer->unary = i->second;
    outer->left = std::move(x);
    x = done(std::move(outer));
  }
  return x;
}

ExprPtr Parser::inversion() {
  std::vector<std::pair<Span, UnaryOp>> nots;
  for (; at("not"); next()) nots.emplace_back(token().where, UnaryOp::Not);
  return unary(nots, comparison());
}

bool Parser::comparison_operator(Compare& op) {
  constexpr std::pair<std::string_view, Compare> kOps[] = {
      {"==", Compare::Eq}, {"!=", Compare::Ne}, {"<", Compare::Lt}, {"<=", Compare::Le},
      {">", Compare::Gt},  {">=", Compare::Ge}, {"in", Compare::In}};
  if (at("not") && at("in", 1)) {
    at_ += 2;
    op = Compare::NotIn;
    return true;
  }
  if (eat("is")) {
    op = eat("not") ? Compare::IsNot : Compare::Is;
    return true;
  }
  for (const auto& [text, kind] : kOps)
    if (eat(text)) {
      op = kind;
      return true;
    }
  return false;
}

ExprPtr Parser::comparison() {
  const Span start = token().where;
  ExprPtr x = binary();
  Compare op{};
  if (!comparison_operator(op)) return x;
  ExprPtr chain = node(Expr::Comparison, start);
  chain->items.push_back(std::move(x));
  do {
    chain->compares.push_back(op);
    chain->items.push_back(binary());
  } while (comparison_operator(op));
  return done(std::move(chain));
}

ExprPtr Parser::binary(int level) {
  const Span start = token().where;
  ExprPtr x = factor();
  while (at(Token::Op)) {
    const Operator* const op = binary_operator(token().text);
    if (!op || op->op == BinaryOp::Pow || op->level < level) break;
    next();
    ExprPtr both = node(Expr::Binary, start);
    both->binary = op->op;
    both->left = std::move(x);
    both->right = binary(op->level + 1);
    x = done(std::move(both));
  }
  return x;
}

ExprPtr Parser::factor() {
  std::vector<std::pair<Span, UnaryOp>> signs;
  for (; at("-") || at("+") || at("~"); next())
    signs.emplace_back(token().where, at("-") ? UnaryOp::Neg : at("+") ? UnaryOp::Pos : UnaryOp::Invert);
  const Span start = token().where;
  ExprPtr x = primary();
  if (at("**")) {
    const Level level(*this);
    next();
    ExprPtr power = node(Expr::Binary, start);
    power->binary = BinaryOp::Pow;
    power->left = std::move(x);
    power->right = factor();
    x = done(std::move(power));
  }
  return unary(signs, std::move(x));
}

}  // namespace glassgrad::script
