// The parser: recursive descent over tokens. Where CPython has words of its own for a mistake, the rule that
// meets the mistake says them.
#pragma once
#include <algorithm>
#include <utility>

#include "apps/script/lexer.h"

namespace glassgrad::script {

using StatementPtr = std::unique_ptr<Statement>;

struct Operator {
  std::string_view text;
  BinaryOp op;
  int level;  // a higher one binds more tightly
};
const Operator* binary_operator(std::string_view text);

// What CPython's errors call an expression.
std::string_view name_of(const Expr& x);
bool is_target(const Expr& x);
// The first part of an assignment's left side that nothing can be assigned to; null: there is none.
const Expr* not_a_target(const Expr& x, bool starred = true);

class Parser {
 public:
  explicit Parser(const Source& source) : source_(source), tokens_(source.tokens) {}

  Body file() {
    Body body;
    while (token().kind != Token::End) statement(body);
    return body;
  }
  // The docstring that the body begins with, or "".
  static std::string document(const Body& body);

 private:
  // ---- tokens
  const Token& token(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  bool at(std::string_view text, size_t ahead = 0) const {
    const Token& t = token(ahead);
    return (t.kind == Token::Op || t.kind == Token::Keyword) && t.text == text;
  }
  bool at(Token::Kind kind, size_t ahead = 0) const { return token(ahead).kind == kind; }
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
                         SyntaxError::Type type = SyntaxError::Syntax) const;
  [[noreturn]] void invalid() const;
  [[noreturn]] void refuse(const Span& where, std::string text, std::string hint) const;
  [[noreturn]] void too_deep(const Span& where) const;
  void check_target(const Expr& x) const;

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
  static ExprPtr node(Expr::Kind kind, const Span& start);
  void end(Span& where) const;
  // All parts of x are there: it ends with the last token.
  ExprPtr done(ExprPtr x) const;
  ExprPtr constant(const Span& start, Value value) const;
  ExprPtr name_node();

  // ---- expressions, from the loosest to the tightest
  // Whether an expression may start here.
  bool starts_expression() const;
  bool ends_list() const;

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
  ExprPtr starred();
  ExprPtr expressions();
  ExprPtr starred_or_named() { return at("*") ? starred() : named(); }
  ExprPtr named();
  // Where "=" can only be a mistake.
  ExprPtr condition();
  // If "=" follows x: what may have been meant.
  void no_assignment(const Expr& x);
  ExprPtr expression();
  ExprPtr boolean(Expr::Kind kind, std::string_view word, ExprPtr (Parser::*operand)());
  ExprPtr disjunction() { return boolean(Expr::BoolOr, "or", &Parser::conjunction); }
  ExprPtr conjunction() { return boolean(Expr::BoolAnd, "and", &Parser::inversion); }

  // not not x, - - x: without recursion.
  ExprPtr unary(const std::vector<std::pair<Span, UnaryOp>>& operators, ExprPtr x) const;
  ExprPtr inversion();
  bool comparison_operator(Compare& op);  // takes it; false: there is none
  ExprPtr comparison();
  ExprPtr binary(int level = 0);
  ExprPtr factor();
  ExprPtr primary();
  void close(std::string_view bracket);
  ExprPtr slice();
  std::vector<Argument> arguments();
  // left for target in iterable if condition …
  ExprPtr comprehension(Expr::Kind kind, const Span& start, ExprPtr left, ExprPtr right);
  // What stands between "for" and "in".
  ExprPtr for_target(bool comprehension);
  ExprPtr atom();
  ExprPtr group();
  ExprPtr list();
  ExprPtr braces();
  ExprPtr lambda();

  // ---- literals
  ExprPtr number();
  // Adjacent strings are one; with an f-string among them an FString.
  ExprPtr strings();
  // The text since the last field becomes a Constant of x.
  void flush(Expr& x, std::string& text);
  // One part of an f-string or of a format specification: text, or a field.
  void part(Expr& x, std::string& text, bool raw, bool specification);
  // Appends what a string's text between its quotes means.
  void decode(std::string_view text, bool raw, const Span& where, std::string& to) const;

  // ---- parameters, up to `last`
  void parameters(Code& code, std::string_view last);

  // ---- statements
  // Simple statements of one line, or a compound one.
  void statement(Body& body);
  // Whether this line opens a block whose first word is `case`.
  bool is_match() const;
  // Of the last token that is no layout.
  int last_line() const;
  StatementPtr begin(Statement::Kind kind) const;
  StatementPtr simple();
  bool ends_statement() const { return at(Token::Newline) || at(";"); }

  StatementPtr simple_parts();
  void check_deletable(const Expr& x) const;
  std::string dotted();  // a.b.c
  // [as name], or else `otherwise`.
  Statement::Imported imported(std::string module, const Span& start, std::string otherwise);
  void import(Statement& s);
  void import_from(Statement& s);
  void assignment(Statement& s);

  // ---- compound statements
  // ":" and what it opens. forced: CPython says what is missing whatever stands there.
  void block(Body& body, Statement& s, std::string_view what, bool forced = false);
  void head(Span& where, bool forced);
  void suite(Body& body, int line, std::string_view what);
  void one_line(Body& body);
  void otherwise(Body& body);  // else: …
  StatementPtr branches();
  StatementPtr while_loop();
  StatementPtr for_loop();
  StatementPtr with();
  StatementPtr attempt();
  StatementPtr decorated();
  void no_type_parameters();
  StatementPtr function();
  StatementPtr class_definition();
  // A method of a name like __add__ is one that we call.
  void check_special(const Statement& method) const;

  const Source& source_;
  const std::vector<Token>& tokens_;
  size_t at_ = 0;
  int level_ = 0;
  int brackets_ = 0;  // open ones
};

}  // namespace glassgrad::script
