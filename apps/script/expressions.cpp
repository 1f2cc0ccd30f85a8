#include <fmt/core.h>

#include <set>

#include "apps/script/parser.h"

namespace glassgrad::script {
namespace {

constexpr Operator kBinary[] = {
    {"|", BinaryOp::BitOr, 0}, {"^", BinaryOp::BitXor, 1},    {"&", BinaryOp::BitAnd, 2},
    {"<<", BinaryOp::Shl, 3},  {">>", BinaryOp::Shr, 3},      {"+", BinaryOp::Add, 4},
    {"-", BinaryOp::Sub, 4},   {"*", BinaryOp::Mul, 5},       {"/", BinaryOp::Div, 5},
    {"%", BinaryOp::Mod, 5},   {"//", BinaryOp::FloorDiv, 5}, {"@", BinaryOp::MatMul, 5},
    {"**", BinaryOp::Pow, 6}};  // ** has a rule of its own

// In the order of Expr::Kind.
constexpr std::pair<Expr::Kind, std::string_view> kNames[] = {{Expr::Constant, "literal"},
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
                                                              {Expr::Assigned, "named expression"}};

}  // namespace

const Operator* binary_operator(std::string_view text) {
  for (const Operator& x : kBinary)
    if (x.text == text) return &x;
  return nullptr;
}

std::string_view name_of(const Expr& x) {
  if (x.kind != Expr::Constant) return kNames[x.kind].second;
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
  // A bracket that nothing closes explains better what is wrong after it.
  const Token& open = source_.unclosed;
  if (!open.text.empty() && (at(Token::End) || token().where.line > open.where.line))
    source_.fail(open.where.line, open.where.column, fmt::format("'{}' was never closed", open.text));
  source_.fail(where.line, where.column, std::move(text), type);
}

void Parser::invalid() const {
  const bool indentation = at(Token::Indent) || at(Token::Dedent);
  if (at("yield"))
    refuse(token().where, "generators (yield) are not supported",
           "collect the values in a list and return it");
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
  int below = 0;
  const auto look = [&](const ExprPtr& part) {
    if (part) below = std::max(below, part->depth);
  };
  look(x->left), look(x->right);
  for (const ExprPtr& item : x->items) look(item);
  for (const Argument& argument : x->arguments) look(argument.value);
  for (const Clause& clause : x->clauses) {
    look(clause.target), look(clause.iterable);
    for (const ExprPtr& condition : clause.conditions) look(condition);
  }
  if (x->code) {
    look(x->code->body[0]->value);
    for (const Parameter& parameter : x->code->parameters) look(parameter.fallback);
  }
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

ExprPtr Parser::named() {
  const Span start = token().where;
  if (at(Token::Name) && at(":=", 1)) {
    ExprPtr x = node(Expr::Assigned, start);
    x->left = name_node();
    next();
    x->right = expression();
    return done(std::move(x));
  }
  ExprPtr x = expression();
  if (at(":=")) fail(x->where, fmt::format("cannot use assignment expressions with {}", name_of(*x)));
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
  mistaken_assignment(x);
}

void Parser::mistaken_assignment(const Expr& x) {
  const std::string_view what = name_of(x);
  const bool plain = what == "list" || what == "tuple" || what == "generator expression" || what == "True" ||
                     what == "None" || what == "False" || what == "comparison" || what == "lambda" ||
                     what == "conditional expression" || what == "named expression" ||
                     x.kind == Expr::BoolAnd || x.kind == Expr::BoolOr ||
                     (x.kind == Expr::Unary && x.unary == UnaryOp::Not);
  if (plain) {
    check_target(x);
    invalid();
  }
  fail(x.where, fmt::format("cannot assign to {} here. Maybe you meant '==' instead of '='?", what));
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
    expression();  // two of them, one after the other
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

ExprPtr Parser::primary() {
  const Span start = token().where;
  ExprPtr x = atom();
  while (true) {
    if (at(".")) {
      ExprPtr attribute = node(Expr::Attribute, start);
      next();
      attribute->text = name();
      attribute->left = std::move(x);
      x = done(std::move(attribute));
    } else if (at("(")) {
      ExprPtr call = node(Expr::Call, start);
      call->left = std::move(x);
      call->arguments = arguments();
      x = done(std::move(call));
    } else if (at("[")) {
      ExprPtr item = node(Expr::Subscript, start);
      next();
      ++brackets_;
      item->left = std::move(x);
      item->right = maybe_tuple([&] { return slice(); }, true);
      if (item->right->kind == Expr::Starred) {  // x[*a] is x[(*a,)]
        ExprPtr tuple = node(Expr::Tuple, item->right->where);
        tuple->items.push_back(std::move(item->right));
        item->right = done(std::move(tuple));
      }
      close("]");
      x = done(std::move(item));
    } else {
      return x;
    }
  }
}

void Parser::close(std::string_view bracket) {
  expect(bracket);
  --brackets_;
}

ExprPtr Parser::slice() {
  if (at("*")) return starred();
  const Span start = token().where;
  ExprPtr first;
  if (!at(":")) {
    first = condition();
    if (!at(":")) return first;
  }
  ExprPtr x = node(Expr::SliceOf, start);
  next();
  const auto part = [&] { return at(":") || at("]") || at(",") ? ExprPtr() : expression(); };
  x->items.push_back(std::move(first));
  x->items.push_back(part());
  x->items.push_back(eat(":") ? part() : ExprPtr());
  return done(std::move(x));
}

std::vector<Argument> Parser::arguments() {
  std::vector<Argument> all;
  const Span open = token().where;
  next();
  ++brackets_;
  std::set<std::string, std::less<>> names;
  bool keywords = false, unpacked = false;
  while (!at(")")) {
    const Span start = token().where;
    Argument argument;
    if (eat("*")) {
      if (unpacked) fail(start, "iterable argument unpacking follows keyword argument unpacking");
      argument.kind = Argument::Star;
      argument.value = expression();
    } else if (eat("**")) {
      argument.kind = Argument::DoubleStar;
      argument.value = expression();
      unpacked = true;
    } else if (at("=", 1) && (at(Token::Name) || at("True") || at("False") || at("None"))) {
      if (!at(Token::Name)) fail(start, fmt::format("cannot assign to {}", token().text));
      argument.kind = Argument::Named;
      argument.name = name();
      next();
      if (at(",") || at(")")) fail(start, "expected argument value expression");
      argument.value = expression();
      if (!names.insert(argument.name).second)
        fail(start, fmt::format("keyword argument repeated: {}", argument.name));
      keywords = true;
    } else {
      argument.value = named();
      if (at("=")) fail(start, "expression cannot contain assignment, perhaps you meant \"==\"?");
      if (at("for") || at("async")) {
        const bool first = all.empty();
        argument.value =
            comprehension(Expr::Generator, first ? open : start, std::move(argument.value), nullptr);
        if (!first || !at(")")) fail(start, "Generator expression must be parenthesized");
        next();
        end(argument.value->where);
        --at_;
      } else if (unpacked || keywords) {
        fail(start, unpacked ? "positional argument follows keyword argument unpacking"
                             : "positional argument follows keyword argument");
      }
    }
    all.push_back(std::move(argument));
    if (!eat(",")) break;
  }
  close(")");
  return all;
}

ExprPtr Parser::comprehension(Expr::Kind kind, const Span& start, ExprPtr left, ExprPtr right) {
  ExprPtr x = node(kind, start);
  if (left->kind == Expr::Starred) fail(left->where, "iterable unpacking cannot be used in comprehension");
  x->left = std::move(left);
  x->right = std::move(right);
  if (at("async")) invalid();
  while (eat("for")) {
    Clause clause;
    clause.target = for_target(true);
    clause.iterable = disjunction();
    while (eat("if")) clause.conditions.push_back(at("lambda") ? lambda() : disjunction());
    x->clauses.push_back(std::move(clause));
    if (at("async")) invalid();
  }
  return done(std::move(x));
}

ExprPtr Parser::for_target(bool comprehension) {
  ExprPtr target = maybe_tuple([&] { return at("*") ? starred() : binary(); });
  if (!at("in") && comprehension) fail(token().where, "'in' expected after for-loop variables");
  check_target(*target);
  expect("in");
  return target;
}

ExprPtr Parser::atom() {
  const Span start = token().where;
  switch (token().kind) {
    case Token::Name:
      return name_node();
    case Token::Number:
      return number();
    case Token::String:
    case Token::FStart:
      return strings();
    default:
      break;
  }
  if (eat("None")) return constant(start, Value::none());
  if (eat("True")) return constant(start, Value::of(true));
  if (eat("False")) return constant(start, Value::of(false));
  if (eat("...")) return constant(start, Value::ellipsis());
  if (at("(")) return group();
  if (at("[")) return list();
  if (at("{")) return braces();
  invalid();
}

ExprPtr Parser::group() {
  const Span start = token().where;
  next();
  ++brackets_;
  ExprPtr x;
  if (at(")")) {
    x = node(Expr::Tuple, start);
  } else {
    x = starred_or_named();
    if (at("for") || at("async")) {
      x = comprehension(Expr::Generator, start, std::move(x), nullptr);
    } else if (at(",")) {
      ExprPtr tuple = node(Expr::Tuple, start);
      tuple->items.push_back(std::move(x));
      while (eat(",") && !at(")")) tuple->items.push_back(starred_or_named());
      x = std::move(tuple);
    } else {
      no_assignment(*x);
      if (x->kind == Expr::Starred) fail(x->where, "cannot use starred expression here");
      close(")");
      return x;
    }
  }
  close(")");
  return done(std::move(x));
}

ExprPtr Parser::list() {
  ExprPtr x = node(Expr::List, token().where);
  next();
  ++brackets_;
  while (!at("]")) {
    ExprPtr item = starred_or_named();
    if (x->items.empty() && (at("for") || at("async"))) {
      x = comprehension(Expr::ListOf, x->where, std::move(item), nullptr);
      break;
    }
    no_assignment(*item);
    x->items.push_back(std::move(item));
    if (!eat(",")) break;
  }
  close("]");
  return done(std::move(x));
}

ExprPtr Parser::braces() {
  ExprPtr x = node(Expr::Dict, token().where);
  next();
  ++brackets_;
  for (bool first = true; !at("}"); first = false) {
    if (x->kind == Expr::Dict && eat("**")) {
      x->items.push_back(nullptr);
      x->items.push_back(binary());
      if (at("for")) fail(tokens_[at_ - 1].where, "dict unpacking cannot be used in dict comprehension");
    } else {
      ExprPtr key = starred_or_named();
      if (first && !at(":")) x->kind = Expr::Set;
      if (x->kind == Expr::Dict) {
        if (at("=")) no_assignment(*key);
        if (!eat(":")) fail(tokens_[at_ - 1].where, "':' expected after dictionary key");
        if (at("}") || at(","))
          fail(tokens_[at_ - 1].where, "expression expected after dictionary key and ':'");
        if (at("*")) fail(token().where, "cannot use a starred expression in a dictionary value");
        ExprPtr value = expression();
        if (first && (at("for") || at("async"))) {
          x = comprehension(Expr::DictOf, x->where, std::move(key), std::move(value));
          break;
        }
        x->items.push_back(std::move(key));
        x->items.push_back(std::move(value));
      } else {
        if (first && (at("for") || at("async"))) {
          x = comprehension(Expr::SetOf, x->where, std::move(key), nullptr);
          break;
        }
        no_assignment(*key);
        x->items.push_back(std::move(key));
      }
    }
    if (!eat(",")) break;
  }
  close("}");
  return done(std::move(x));
}

ExprPtr Parser::lambda() {
  ExprPtr x = node(Expr::Lambda, token().where);
  next();
  x->code = std::make_unique<Code>();
  x->code->name = "<lambda>";
  x->code->where = x->where;
  parameters(*x->code, ":");
  expect(":");
  auto result = std::make_unique<Statement>();
  result->kind = Statement::Return;
  result->value = expression();
  result->where = result->value->where;
  result->last_line = result->where.end_line;
  x->code->body.push_back(std::move(result));
  x = done(std::move(x));
  x->code->where = x->where;
  return x;
}

void Parser::parameters(Code& code, std::string_view last) {
  const bool annotated = last == ")";
  bool star = false, slash = false, fallback = false;
  std::set<std::string, std::less<>> names;
  while (!at(last)) {
    const Span start = token().where;
    if (at("("))
      fail(start, fmt::format("{} parameters cannot be parenthesized",
                              annotated ? "Function" : "Lambda expression"));
    if (eat("/")) {
      if (code.parameters.empty()) fail(start, "at least one argument must precede /");
      if (slash) fail(start, "/ may appear only once");
      if (star) fail(start, "/ must be ahead of *");
      slash = true;
      for (Parameter& parameter : code.parameters) parameter.positional_only = true;
    } else {
      Parameter parameter;
      bool bare = false;
      if (eat("**")) {
        parameter.kind = Parameter::DoubleStar;
      } else if (eat("*")) {
        if (star) fail(start, "* argument may appear only once");
        star = true;
        bare = at(",") || at(last);
        if (bare && (at(last) || at(last, 1) || at("**", 1)))
          fail(start, "named arguments must follow bare *");
        parameter.kind = Parameter::Star;
      } else if (star) {
        parameter.kind = Parameter::KeywordOnly;
      }
      if (!bare) {
        const Span where = token().where;
        parameter.name = name();
        if (annotated && eat(":")) parameter.kind == Parameter::Star&& at("*") ? starred() : expression();
        if (eat("=")) {
          if (parameter.kind == Parameter::Star || parameter.kind == Parameter::DoubleStar)
            fail(tokens_[at_ - 1].where,
                 fmt::format("var-{} argument cannot have default value",
                             parameter.kind == Parameter::Star ? "positional" : "keyword"));
          if (at(",") || at(last)) fail(tokens_[at_ - 1].where, "expected default value expression");
          parameter.fallback = expression();
        }
        if (parameter.kind == Parameter::Plain) {
          if (fallback && !parameter.fallback)
            fail(where, "parameter without a default follows parameter with a default");
          fallback |= bool(parameter.fallback);
        }
        if (!names.insert(parameter.name).second)
          fail(where, fmt::format("duplicate argument '{}' in function definition", parameter.name));
        code.parameters.push_back(std::move(parameter));
        if (code.parameters.back().kind == Parameter::DoubleStar) {
          if (eat(",") && !at(last)) fail(token().where, "arguments cannot follow var-keyword argument");
          break;
        }
      }
    }
    if (!eat(",")) break;
  }
}

}  // namespace glassgrad::script
