#include <fmt/core.h>

#include <cerrno>
#include <charconv>
#include <cstdlib>
#include <set>

#include "apps/script/lexer.h"
#include "apps/script/resolve.h"
#include "apps/text/unicode.h"

namespace glassgrad::script {
namespace {

using StatementPtr = std::unique_ptr<Statement>;

struct Operator {
  std::string_view text;
  BinaryOp op;
  int level;  // a higher one binds more tightly
};
constexpr Operator kBinary[] = {
    {"|", BinaryOp::BitOr, 0}, {"^", BinaryOp::BitXor, 1},    {"&", BinaryOp::BitAnd, 2},
    {"<<", BinaryOp::Shl, 3},  {">>", BinaryOp::Shr, 3},      {"+", BinaryOp::Add, 4},
    {"-", BinaryOp::Sub, 4},   {"*", BinaryOp::Mul, 5},       {"/", BinaryOp::Div, 5},
    {"%", BinaryOp::Mod, 5},   {"//", BinaryOp::FloorDiv, 5}, {"@", BinaryOp::MatMul, 5},
    {"**", BinaryOp::Pow, 6}};  // ** has a rule of its own
const Operator* binary_operator(std::string_view text) {
  for (const Operator& x : kBinary)
    if (x.text == text) return &x;
  return nullptr;
}

// What CPython's errors call an expression.
std::string_view name_of(const Expr& x) {
  switch (x.kind) {
    case Expr::Constant: {
      const Tag tag = x.value.tag();
      if (tag == Tag::Bool) return x.value.boolean() ? "True" : "False";
      return tag == Tag::None ? "None" : tag == Tag::Ellipsis ? "ellipsis" : "literal";
    }
    case Expr::Name:
      return "name";
    case Expr::FString:
    case Expr::Formatted:
      return "f-string expression";
    case Expr::Tuple:
      return "tuple";
    case Expr::List:
      return "list";
    case Expr::Set:
      return "set display";
    case Expr::Dict:
      return "dict literal";
    case Expr::Attribute:
      return "attribute";
    case Expr::Subscript:
    case Expr::SliceOf:
      return "subscript";
    case Expr::Starred:
      return "starred";
    case Expr::Unary:
    case Expr::Binary:
    case Expr::BoolAnd:
    case Expr::BoolOr:
      return "expression";
    case Expr::Comparison:
      return "comparison";
    case Expr::Conditional:
      return "conditional expression";
    case Expr::Call:
      return "function call";
    case Expr::Lambda:
      return "lambda";
    case Expr::ListOf:
      return "list comprehension";
    case Expr::SetOf:
      return "set comprehension";
    case Expr::DictOf:
      return "dict comprehension";
    case Expr::Generator:
      return "generator expression";
    case Expr::Assigned:
      return "named expression";
  }
  return "expression";
}

bool is_target(const Expr& x) {
  return x.kind == Expr::Name || x.kind == Expr::Attribute || x.kind == Expr::Subscript;
}

// The first part of an assignment's left side that nothing can be assigned to; null: there is none.
const Expr* not_a_target(const Expr& x, bool starred = true) {
  if (x.kind == Expr::Starred) return starred ? not_a_target(*x.left, false) : &x;
  if (x.kind != Expr::Tuple && x.kind != Expr::List) return is_target(x) ? nullptr : &x;
  for (const ExprPtr& item : x.items)
    if (const Expr* const wrong = not_a_target(*item)) return wrong;
  return nullptr;
}

void append_utf8(std::string& to, uint32_t c) {
  const auto tail = [&](int shift) { to += static_cast<char>(0x80 | ((c >> shift) & 0x3f)); };
  if (c < 0x80) {
    to += static_cast<char>(c);
  } else if (c < 0x800) {
    to += static_cast<char>(0xc0 | c >> 6), tail(0);
  } else if (c < 0x10000) {
    to += static_cast<char>(0xe0 | c >> 12), tail(6), tail(0);
  } else {
    to += static_cast<char>(0xf0 | c >> 18), tail(12), tail(6), tail(0);
  }
}

class Parser {
 public:
  explicit Parser(const Source& source) : source_(source), tokens_(source.tokens) {}

  Body file() {
    Body body;
    while (token().kind != Token::End) statement(body);
    return body;
  }

 private:
  // ---- tokens
  const Token& token(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool at(std::string_view text, size_t ahead = 0) const {
    const Token& t = token(ahead);
    return (t.kind == Token::Op || t.kind == Token::Keyword) && t.text == text;
  }
  bool at(Token::Kind kind) const { return token().kind == kind; }
  bool at_name(std::string_view text) const { return at(Token::Name) && token().text == text; }
  void next() { ++at_; }
  bool eat(std::string_view text) {
    if (!at(text)) return false;
    next();
    return true;
  }
  void expect(std::string_view text) {
    if (!eat(text)) invalid();
  }
  std::string name() {
    if (!at(Token::Name)) invalid();
    return std::string(tokens_[at_++].text);
  }

  // ---- errors
  [[noreturn]] void fail(const Span& where, std::string text,
                         SyntaxError::Type type = SyntaxError::Syntax) const {
    const Token& open =
        source_.unclosed;  // a bracket that nothing closes is the better reason for what follows
    if (!open.text.empty() && (at(Token::End) || token().where.line > open.where.line))
      source_.fail(open.where.line, open.where.column, fmt::format("'{}' was never closed", open.text));
    source_.fail(where.line, where.column, std::move(text), type);
  }
  bool at(Token::Kind kind, size_t ahead) const { return token(ahead).kind == kind; }
  [[noreturn]] void invalid() const {
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
  [[noreturn]] void refuse(const Span& where, std::string text, std::string hint) const {
    source_.fail(where.line, where.column, std::move(text), SyntaxError::Unsupported, std::move(hint));
  }
  [[noreturn]] void too_deep(const Span& where) const {
    refuse(where, fmt::format("an expression of more than {} levels is not supported", kMaxDepth),
           "give a part of it a name");
  }
  void check_target(const Expr& x) const {
    if (const Expr* const wrong = not_a_target(x))
      fail(wrong->where, fmt::format("cannot assign to {}", name_of(*wrong)));
  }

  // One level of the parser's own recursion.
  struct Level {
    explicit Level(Parser& p) : parser(p) {
      if (++parser.level_ > kMaxDepth) parser.too_deep(parser.token().where);
    }
    ~Level() { --parser.level_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    Parser& parser;
  };

  // ---- making nodes
  static ExprPtr node(Expr::Kind kind, const Span& start) {
    auto x = std::make_unique<Expr>();
    x->kind = kind;
    x->where = start;
    return x;
  }
  void end(Span& where) const {
    const Span& last = tokens_[at_ - 1].where;
    where.end_line = last.end_line;
    where.end_column = last.end_column;
  }
  // All parts of x are there: it ends with the last token.
  ExprPtr done(ExprPtr x) const {
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
  ExprPtr constant(const Span& start, Value value) const {
    ExprPtr x = node(Expr::Constant, start);
    x->value = std::move(value);
    return done(std::move(x));
  }
  ExprPtr name_node() {
    ExprPtr x = node(Expr::Name, token().where);
    x->text = name();
    return done(std::move(x));
  }

  // ---- expressions, from the loosest to the tightest
  // Whether an expression may start here.
  bool starts_expression() const {
    const Token& t = token();
    if (t.kind == Token::Name || t.kind == Token::Number || t.kind == Token::String ||
        t.kind == Token::FStart)
      return true;
    for (const char* const text :
         {"(", "[", "{", "-", "+", "~", "...", "not", "lambda", "None", "True", "False", "await"})
      if (at(text)) return true;
    return false;
  }
  bool ends_list() const {
    return at(Token::Newline) || at("=") || at(")") || at("]") || at("}") || at(":") || at("in") || at(";") ||
           at(Token::End);
  }

  // a, *b, c: a tuple if there is a comma.
  template <class One>
  ExprPtr maybe_tuple(One one, bool slices = false) {
    const Span start = token().where;
    ExprPtr x = one();
    if (!at(",")) return x;
    ExprPtr tuple = node(Expr::Tuple, start);
    tuple->items.push_back(std::move(x));
    while (eat(",") && (!ends_list() || (slices && at(":")))) tuple->items.push_back(one());
    return done(std::move(tuple));
  }
  ExprPtr starred() {
    ExprPtr x = node(Expr::Starred, token().where);
    next();
    x->left = binary();
    return done(std::move(x));
  }
  ExprPtr expressions() {
    return maybe_tuple([&] { return at("*") ? starred() : expression(); });
  }
  ExprPtr starred_or_named() { return at("*") ? starred() : named(); }

  ExprPtr named() {
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
  // Where "=" can only be a mistake.
  ExprPtr condition() {
    ExprPtr x = named();
    no_assignment(*x);
    return x;
  }
  void no_assignment(const Expr& x) {
    if (!at("=")) return;
    if (x.kind == Expr::Name) fail(x.where, "invalid syntax. Maybe you meant '==' or ':=' instead of '='?");
    mistaken_assignment(x);
  }
  void mistaken_assignment(const Expr& x) {
    const std::string_view what = name_of(x);
    const bool plain = what == "list" || what == "tuple" || what == "generator expression" ||
                       what == "True" || what == "None" || what == "False" || what == "comparison" ||
                       what == "lambda" || what == "conditional expression" || what == "named expression" ||
                       x.kind == Expr::BoolAnd || x.kind == Expr::BoolOr ||
                       (x.kind == Expr::Unary && x.unary == UnaryOp::Not);
    if (plain) {
      check_target(x);
      invalid();
    }
    fail(x.where, fmt::format("cannot assign to {} here. Maybe you meant '==' instead of '='?", what));
  }

  ExprPtr expression() {
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

  ExprPtr boolean(Expr::Kind kind, std::string_view word, ExprPtr (Parser::*operand)()) {
    const Span start = token().where;
    ExprPtr x = (this->*operand)();
    if (!at(word)) return x;
    ExprPtr all = node(kind, start);
    all->items.push_back(std::move(x));
    while (eat(word)) all->items.push_back((this->*operand)());
    return done(std::move(all));
  }
  ExprPtr disjunction() { return boolean(Expr::BoolOr, "or", &Parser::conjunction); }
  ExprPtr conjunction() { return boolean(Expr::BoolAnd, "and", &Parser::inversion); }

  // not not x, - - x: without recursion.
  ExprPtr unary(const std::vector<std::pair<Span, UnaryOp>>& operators, ExprPtr x) const {
    for (auto i = operators.rbegin(); i != operators.rend(); ++i) {
      ExprPtr outer = node(Expr::Unary, i->first);
      outer->unary = i->second;
      outer->left = std::move(x);
      x = done(std::move(outer));
    }
    return x;
  }
  ExprPtr inversion() {
    std::vector<std::pair<Span, UnaryOp>> nots;
    for (; at("not"); next()) nots.emplace_back(token().where, UnaryOp::Not);
    return unary(nots, comparison());
  }

  bool comparison_operator(Compare& op) {
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
  ExprPtr comparison() {
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

  ExprPtr binary(int level = 0) {
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
  ExprPtr factor() {
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

  ExprPtr primary() {
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
  void close(std::string_view bracket) {
    expect(bracket);
    --brackets_;
  }

  ExprPtr slice() {
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

  std::vector<Argument> arguments() {
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

  // left for target in iterable if condition …
  ExprPtr comprehension(Expr::Kind kind, const Span& start, ExprPtr left, ExprPtr right) {
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
  // What stands between "for" and "in".
  ExprPtr for_target(bool comprehension) {
    ExprPtr target = maybe_tuple([&] { return at("*") ? starred() : binary(); });
    if (!at("in") && comprehension) fail(token().where, "'in' expected after for-loop variables");
    check_target(*target);
    expect("in");
    return target;
  }

  ExprPtr atom() {
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

  ExprPtr group() {
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
  ExprPtr list() {
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
  ExprPtr braces() {
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

  ExprPtr lambda() {
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

  // ---- literals
  ExprPtr number() {
    const Token& t = token();
    std::string digits;
    for (const char c : t.text)
      if (c != '_') digits += c;
    next();
    const char second = static_cast<char>(digits.size() > 1 ? digits[1] | 0x20 : 0);
    const int base = digits[0] != '0' ? 10 : second == 'x' ? 16 : second == 'o' ? 8 : second == 'b' ? 2 : 10;
    if (base == 10 && digits.find_first_of(".eE") != std::string::npos)
      return constant(t.where, Value::of(std::strtod(digits.c_str(), nullptr)));
    int64_t value = 0;
    const char* const first = digits.data() + (base == 10 ? 0 : 2);
    const auto [stopped, error] = std::from_chars(first, digits.data() + digits.size(), value, base);
    if (error != std::errc())
      refuse(t.where, "integers beyond 64 bits are not supported", "write it as a float: 1e20");
    return constant(t.where, Value::of(value));
  }

  // Adjacent strings are one; with an f-string among them an FString.
  ExprPtr strings() {
    ExprPtr x = node(Expr::FString, token().where);
    std::string text;  // since the last field
    bool formatted = false;
    while (at(Token::String) || at(Token::FStart)) {
      const Token& t = token();
      const size_t quote = t.text.find_first_of("\"'");
      const bool raw = t.text.substr(0, quote).find_first_of("rR") != std::string_view::npos;
      next();
      if (t.kind == Token::String) {
        const size_t quotes = t.text.size() - quote >= 6 && t.text[quote + 1] == t.text[quote] &&
                                      t.text[quote + 2] == t.text[quote]
                                  ? 3
                                  : 1;
        decode(t.text.substr(quote + quotes, t.text.size() - quote - 2 * quotes), raw, t.where, text);
      } else {
        formatted = true;
        for (; !at(Token::FEnd); part(*x, text, raw, false)) {
        }
        next();
      }
    }
    if (!formatted) return constant(x->where, str(std::move(text)));
    flush(*x, text);
    return done(std::move(x));
  }
  void flush(Expr& x, std::string& text) {
    if (text.empty()) return;
    x.items.push_back(constant(x.where, str(std::move(text))));
    text.clear();
  }

  // One part of an f-string or of a format specification: text, or a field.
  void part(Expr& x, std::string& text, bool raw, bool specification) {
    const Token& t = token();
    if (t.kind == Token::FText) {
      next();
      if (specification) return decode(t.text, raw, t.where, text);
      std::string single;  // {{ is {
      for (size_t i = 0; i < t.text.size(); ++i) {
        single += t.text[i];
        if ((t.text[i] == '{' || t.text[i] == '}') && i + 1 < t.text.size() && t.text[i + 1] == t.text[i])
          ++i;
      }
      return decode(single, raw, t.where, text);
    }
    expect("{");
    ++brackets_;
    const Level level(*this);
    for (const char* const mark : {"}", "!", ":", "="})
      if (at(mark)) fail(token().where, fmt::format("f-string: valid expression required before '{}'", mark));
    if (at("lambda")) fail(token().where, "f-string: lambda expressions are not allowed without parentheses");
    ExprPtr field = node(Expr::Formatted, t.where);
    field->left = expressions();
    const char* expected = "'=', or '!', or ':', or '}'";
    bool debug = false;
    if (eat("=")) {
      debug = true;
      expected = "'!', or ':', or '}'";
      text +=
          std::string_view(t.text.data() + 1, static_cast<size_t>(token().text.data() - t.text.data()) - 1);
    }
    if (eat("!")) {
      if (at("}") || at(":")) fail(token().where, "f-string: missing conversion character");
      if (!at(Token::Name) && !at(Token::Keyword))
        fail(token().where, "f-string: invalid conversion character");
      field->text = token().text;
      if (field->text != "r" && field->text != "s" && field->text != "a")
        fail(token().where,
             fmt::format("f-string: invalid conversion character '{}': expected 's', 'r', or 'a'",
                         field->text));
      next();
      expected = "':' or '}'";
    }
    flush(x, text);
    if (at(":")) {
      field->right = node(Expr::FString, token().where);
      next();
      std::string inside;
      while (!at("}")) part(*field->right, inside, raw, true);
      flush(*field->right, inside);
      field->right = done(std::move(field->right));
    } else if (debug && field->text.empty()) {
      field->text = "r";
    }
    if (!at("}")) fail(token().where, fmt::format("f-string: expecting {}", expected));
    close("}");
    x.items.push_back(done(std::move(field)));
  }

  // Appends what a string's text between its quotes means.
  void decode(std::string_view text, bool raw, const Span& where, std::string& to) const {
    if (raw) {
      to += text;
      return;
    }
    constexpr std::string_view kNames = "\\'\"abfnrtv", kMeanings = "\\'\"\a\b\f\n\r\t\v";
    for (size_t i = 0; i < text.size(); ++i) {
      const size_t start = i;
      if (text[i] != '\\' || i + 1 == text.size()) {
        to += text[i];
        continue;
      }
      const char c = text[++i];
      const auto number = [&](size_t length, int base) {
        uint32_t value = 0;
        const char* const first = text.data() + i;
        const char* const last = text.data() + std::min(i + length, text.size());
        const auto [stopped, error] = std::from_chars(first, last, value, base);
        i = static_cast<size_t>(stopped - text.data()) - 1;
        if (base == 16 && (error != std::errc() || stopped != first + length))
          fail(
              where,
              fmt::format(
                  "(unicode error) 'unicodeescape' codec can't decode bytes in position {}-{}: truncated \\{} escape",
                  start, error != std::errc() ? start + 1 : i,
                  c == 'x'   ? "xXX"
                  : c == 'u' ? "uXXXX"
                             : "UXXXXXXXX"));
        if (value > 0x10ffff)
          fail(
              where,
              fmt::format(
                  "(unicode error) 'unicodeescape' codec can't decode bytes in position {}-{}: illegal Unicode character",
                  start, i));
        if (value >= 0xd800 && value < 0xe000)
          refuse(where, "halves of a surrogate pair are not supported", "write the character itself");
        append_utf8(to, value);
      };
      if (const size_t known = kNames.find(c); known != std::string_view::npos) {
        to += kMeanings[known];
      } else if (c >= '0' && c <= '7') {
        number(3, 8);
      } else if (c == 'x' || c == 'u' || c == 'U') {
        ++i;
        number(c == 'x' ? 2 : c == 'u' ? 4 : 8, 16);
      } else if (c == 'N') {
        refuse(where, "names of characters (\\N{...}) are not supported",
               "write the character itself, or its number as \\u03b1");
      } else if (c != '\n') {
        to += '\\';
        to += c;
      }
    }
  }

  // ---- parameters, up to `last`
  void parameters(Code& code, std::string_view last) {
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

  // ---- statements
  // Simple statements of one line, or a compound one.
  void statement(Body& body) {
    using Rule = StatementPtr (Parser::*)();
    constexpr std::pair<std::string_view, Rule> kRules[] = {{"if", &Parser::branches},
                                                            {"while", &Parser::while_loop},
                                                            {"for", &Parser::for_loop},
                                                            {"def", &Parser::function},
                                                            {"class", &Parser::class_definition},
                                                            {"try", &Parser::attempt},
                                                            {"with", &Parser::with},
                                                            {"@", &Parser::decorated}};
    for (const auto& [word, rule] : kRules)
      if (at(word)) {
        body.push_back((this->*rule)());
        body.back()->last_line = last_line();
        return;
      }
    if (at_name("match") && is_match())
      refuse(token().where, "match statements are not supported", "write if … elif … else");
    if (at_name("type") && at(Token::Name, 1))
      refuse(token().where, "type aliases are not supported", "leave the line out: types are not checked");
    do {
      if (at(Token::Newline)) break;
      body.push_back(simple());
    } while (eat(";"));
    if (!at(Token::Newline)) invalid();
    next();
  }
  // Whether this line opens a block whose first word is `case`.
  bool is_match() const {
    size_t i = at_;
    while (tokens_[i].kind != Token::Newline && tokens_[i].kind != Token::End) ++i;
    return tokens_[i - 1].text == ":" && i + 2 < tokens_.size() && tokens_[i + 1].kind == Token::Indent &&
           tokens_[i + 2].text == "case";
  }

  // Of the last token that is no layout.
  int last_line() const {
    size_t i = at_ - 1;
    while (tokens_[i].kind == Token::Dedent || tokens_[i].kind == Token::Newline) --i;
    return tokens_[i].where.end_line;
  }
  StatementPtr begin(Statement::Kind kind) const {
    auto s = std::make_unique<Statement>();
    s->kind = kind;
    s->where = token().where;
    return s;
  }
  StatementPtr simple() {
    StatementPtr s = simple_parts();
    end(s->where);
    s->last_line = s->where.end_line;
    return s;
  }
  bool ends_statement() const { return at(Token::Newline) || at(";"); }

  StatementPtr simple_parts() {
    StatementPtr s = begin(Statement::Expression);
    const auto keyword = [&](const char* word, Statement::Kind kind) {
      if (!eat(word)) return false;
      s->kind = kind;
      return true;
    };
    if (keyword("pass", Statement::Pass) || keyword("break", Statement::Break) ||
        keyword("continue", Statement::Continue)) {
    } else if (keyword("return", Statement::Return)) {
      if (!ends_statement()) s->value = expressions();
    } else if (keyword("raise", Statement::Raise)) {
      if (!ends_statement()) s->value = expression();
      if (s->value && eat("from")) s->targets.push_back(expression());
    } else if (keyword("assert", Statement::Assert)) {
      s->value = expression();
      if (eat(",")) s->message = expression();
    } else if (keyword("del", Statement::Delete)) {
      do {
        s->targets.push_back(at("*") ? starred() : binary());
        check_deletable(*s->targets.back());
      } while (eat(",") && !ends_statement());
    } else if (keyword("global", Statement::Global) || keyword("nonlocal", Statement::Nonlocal)) {
      do s->targets.push_back(name_node());
      while (eat(","));
    } else if (keyword("import", Statement::Import)) {
      do import(*s);
      while (eat(","));
    } else if (keyword("from", Statement::ImportFrom)) {
      import_from(*s);
    } else {
      assignment(*s);
    }
    return s;
  }
  void check_deletable(const Expr& x) const {
    if (x.kind == Expr::Tuple || x.kind == Expr::List) {
      for (const ExprPtr& item : x.items) check_deletable(*item);
    } else if (!is_target(x)) {
      fail(x.where, fmt::format("cannot delete {}", name_of(x)));
    }
  }

  std::string dotted() {
    std::string text = name();
    while (eat(".")) text += "." + name();
    return text;
  }
  // [as name], or else `otherwise`.
  Statement::Imported imported(std::string module, const Span& start, std::string otherwise) {
    Statement::Imported one{std::move(module), nullptr, eat("as")};
    if (one.named) {
      one.target = name_node();
    } else {
      one.target = node(Expr::Name, start);
      one.target->text = std::move(otherwise);
      one.target = done(std::move(one.target));
    }
    return one;
  }
  void import(Statement& s) {
    const Span start = token().where;
    if (ends_statement()) fail(start, "Expected one or more names after 'import'");
    std::string module = dotted();
    std::string package = module.substr(0, module.find('.'));
    s.imports.push_back(imported(std::move(module), start, std::move(package)));
  }
  void import_from(Statement& s) {
    if (at(".") || at("..."))
      refuse(token().where, "relative imports are not supported", "put everything into one program");
    s.text = dotted();
    expect("import");
    if (at("*"))
      refuse(token().where, "star imports are not supported",
             fmt::format("import the names that you use: from {} import …", s.text));
    const bool group = eat("(");
    if (!group && ends_statement()) fail(token().where, "Expected one or more names after 'import'");
    do {
      if (group && at(")")) break;
      if (ends_statement()) fail(token().where, "trailing comma not allowed without surrounding parentheses");
      const Span start = token().where;
      std::string what = name();
      s.imports.push_back(imported(what, start, what));
    } while (eat(","));
    if (group) expect(")");
    if (s.imports.empty()) invalid();
  }

  void assignment(Statement& s) {
    ExprPtr first = expressions();
    if (at(Token::Op) && token().text.size() > 1 && token().text.back() == '=') {
      if (const Operator* const op = binary_operator(token().text.substr(0, token().text.size() - 1))) {
        if (!is_target(*first))
          fail(first->where,
               fmt::format("'{}' is an illegal expression for augmented assignment", name_of(*first)));
        next();
        s.kind = Statement::AugAssign;
        s.binary = op->op;
        s.targets.push_back(std::move(first));
        s.value = expressions();
        return;
      }
    }
    if (at(":")) {
      const std::string_view what = name_of(*first);
      if (what == "list" || what == "tuple")
        fail(first->where, fmt::format("only single target (not {}) can be annotated", what));
      if (!is_target(*first)) fail(first->where, "illegal target for annotation");
      next();
      s.kind = Statement::AnnAssign;
      s.targets.push_back(std::move(first));
      expression();
      if (eat("=")) s.value = expressions();
      return;
    }
    for (bool chained = false; at("="); chained = true) {
      if (const Expr* const wrong = not_a_target(*first))
        chained || wrong != first.get() ? check_target(*first) : mistaken_assignment(*first);
      next();
      s.kind = Statement::Assign;
      s.targets.push_back(std::move(first));
      first = expressions();
    }
    s.value = std::move(first);
  }

  // ---- compound statements
  // ":" and what it opens. forced: CPython says what is missing whatever stands there.
  void block(Body& body, Statement& s, std::string_view what, bool forced = false) {
    head(s.where, forced);
    suite(body, s.where.line, what);
  }
  void head(Span& where, bool forced) {
    if (!at(":") && (forced || at(Token::Newline))) fail(token().where, "expected ':'");
    expect(":");
    end(where);
  }
  void suite(Body& body, int line, std::string_view what) {
    if (!at(Token::Newline)) return one_line(body);
    next();
    if (!at(Token::Indent))
      fail(token().where, fmt::format("expected an indented block after {} on line {}", what, line),
           SyntaxError::Indentation);
    next();
    while (!at(Token::Dedent)) statement(body);
    next();
  }
  void one_line(Body& body) {
    for (const char* const word : {"if", "while", "for", "def", "class", "try", "with", "@"})
      if (at(word)) invalid();
    statement(body);
  }
  void otherwise(Body& body) {
    const Span start = token().where;
    if (!eat("else")) return;
    Span where = start;
    head(where, true);
    suite(body, start.line, "'else' statement");
  }

  StatementPtr branches() {
    StatementPtr first = begin(Statement::If);
    Statement* last = first.get();
    next();
    last->value = condition();
    block(last->body, *last, "'if' statement");
    std::vector<Statement*> inner;
    while (at("elif")) {
      if (inner.size() >= size_t{kMaxDepth})
        refuse(token().where, fmt::format("more than {} elif are not supported", kMaxDepth),
               "look the value up in a dict");
      last->other.push_back(begin(Statement::If));
      last = last->other.back().get();
      inner.push_back(last);
      next();
      last->value = condition();
      block(last->body, *last, "'elif' statement");
    }
    otherwise(last->other);
    for (Statement* const s : inner) s->last_line = last_line();
    return first;
  }
  StatementPtr while_loop() {
    StatementPtr s = begin(Statement::While);
    next();
    s->value = condition();
    block(s->body, *s, "'while' statement");
    otherwise(s->other);
    return s;
  }
  StatementPtr for_loop() {
    StatementPtr s = begin(Statement::For);
    next();
    s->targets.push_back(for_target(false));
    s->value = expressions();
    block(s->body, *s, "'for' statement");
    otherwise(s->other);
    return s;
  }

  StatementPtr with() {
    StatementPtr s = begin(Statement::With);
    next();
    const bool group = at("(") && encloses_items();
    if (group) next();
    do {
      if (group && at(")")) break;
      s->items.push_back(expression());
      ExprPtr target;
      if (eat("as")) {
        target = at("*") ? starred() : binary();
        check_target(*target);
      }
      s->items.push_back(std::move(target));
    } while (eat(","));
    if (group) expect(")");
    block(s->body, *s, "'with' statement");
    return s;
  }
  // Whether the parenthesis here holds the items of a `with`: it stands before ":", and is no generator.
  bool encloses_items() const {
    int depth = 0;
    bool plain = true, named = false;
    for (size_t i = at_; i < tokens_.size(); ++i) {
      const std::string_view text = tokens_[i].text;
      if (tokens_[i].kind != Token::Op && tokens_[i].kind != Token::Keyword) continue;
      if (text == "(" || text == "[" || text == "{") ++depth;
      if (text == ")" || text == "]" || text == "}") --depth;
      if (depth == 1 && (text == "for" || text == ":=" || text == "yield")) plain = false;
      if (depth == 1 && text == "as") named = true;
      if (depth == 0)
        return named || (plain && i > at_ + 1 && i + 1 < tokens_.size() && tokens_[i + 1].text == ":");
    }
    return false;
  }

  StatementPtr attempt() {
    StatementPtr s = begin(Statement::Try);
    next();
    block(s->body, *s, "'try' statement", true);
    while (at("except")) {
      Handler handler;
      handler.where = token().where;
      next();
      if (at("*"))
        refuse(token().where, "except* is not supported", "write except, and a loop over the exceptions");
      if (!at(":") && !at(Token::Newline)) {
        handler.type = expression();
        if (at(",")) fail(handler.type->where, "multiple exception types must be parenthesized");
        if (eat("as")) handler.name = name_node();
      }
      head(handler.where, false);
      suite(handler.body, handler.where.line, "'except' statement");
      s->handlers.push_back(std::move(handler));
    }
    if (!s->handlers.empty()) otherwise(s->other);
    const Span last = token().where;
    if (eat("finally")) {
      Span where = last;
      head(where, true);
      suite(s->finally, last.line, "'finally' statement");
    } else if (s->handlers.empty()) {
      fail(last, "expected 'except' or 'finally' block");
    }
    return s;
  }

  StatementPtr decorated() {
    std::vector<ExprPtr> decorators;
    while (eat("@")) {
      decorators.push_back(named());
      if (!at(Token::Newline)) invalid();
      next();
    }
    if (!at("def") && !at("class")) invalid();
    StatementPtr s = at("def") ? function() : class_definition();
    s->decorators = std::move(decorators);
    return s;
  }

  void no_type_parameters() {
    if (at("["))
      refuse(token().where, "type parameters are not supported", "leave them out: types are not checked");
  }
  StatementPtr function() {
    StatementPtr s = begin(Statement::Def);
    next();
    s->targets.push_back(name_node());
    no_type_parameters();
    s->code = std::make_unique<Code>();
    s->code->name = s->targets[0]->text;
    if (!at("(")) fail(token().where, "expected '('");
    next();
    const int outer = std::exchange(brackets_, 1);
    parameters(*s->code, ")");
    close(")");
    if (eat("->")) expression();
    brackets_ = outer;
    block(s->code->body, *s, "function definition", true);
    s->code->where = s->where;
    s->code->document = document(s->code->body);
    return s;
  }
  StatementPtr class_definition() {
    StatementPtr s = begin(Statement::Class);
    next();
    s->targets.push_back(name_node());
    no_type_parameters();
    s->code = std::make_unique<Code>();
    s->code->name = s->targets[0]->text;
    if (at("(")) {
      const Span start = token().where;
      std::vector<Argument> bases = arguments();
      for (const Argument& base : bases)
        if (base.kind != Argument::Positional)
          refuse(start, "keywords of a class, as metaclass=, are not supported", "leave them out");
      if (bases.size() > 1)
        refuse(bases[1].value->where, "multiple inheritance is not supported",
               "derive from one class, and keep an object of the other");
      if (!bases.empty()) s->value = std::move(bases[0].value);
    }
    block(s->body, *s, "class definition");
    s->code->where = s->where;
    s->code->document = document(s->body);
    return s;
  }

 public:
  static std::string document(const Body& body) {
    if (body.empty() || body[0]->kind != Statement::Expression || body[0]->value->kind != Expr::Constant)
      return "";
    const Str* const text = body[0]->value->value.as<Str>();
    return text ? text->text : "";
  }

 private:
  const Source& source_;
  const std::vector<Token>& tokens_;
  size_t at_ = 0;
  int level_ = 0;
  int brackets_ = 0;  // open ones
};

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
                                        x.positional_only == y.positional_only &&
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
