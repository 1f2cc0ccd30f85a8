// Parses the expressions that bind most tightly: calls, subscripts, displays and comprehensions.
#include <fmt/core.h>
#include <set>
#include "apps/script/parser.h"

namespace glassgrad::script {

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
    x = at("yield") ? expressions_or_yield() : starred_or_named();
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
  bool star = false, fallback = false;
  std::set<std::string, std::less<>> names;
  while (!at(last)) {
    const Span start = token().where;
    if (at("("))
      fail(start, fmt::format("{} parameters cannot be parenthesized",
                              annotated ? "Function" : "Lambda expression"));
    if (eat("/")) {
      refuse(start, "parameters by position only (/) are not supported", "leave the / out");
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
