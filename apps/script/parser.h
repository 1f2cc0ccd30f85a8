// The parser: recursive descent over tokens. If CPython has a special message for a mistake, the rule that
// encounters the mistake throws it.
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

// The name of an expression in CPython's errors.
std::string_view name_of(const Expr& x);
bool is_target(const Expr& x);
// Returns the first part of an assignment's left side that cannot be assigned to; null if there is none.
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

  // Counts one level of the parser's recursion; throws beyond kMaxDepth.
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
  // Completes x once all its parts are set; x ends at the last token.
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
  ExprPtr expressions_or_yield();
  ExprPtr starred_or_named() { return at("*") ? starred() : named(); }
  ExprPtr named();
  // An expression after which "=" can only be a mistake.
  ExprPtr condition();
  // If "=" follows x, throws with a suggestion.
  void no_assignment(const Expr& x);
  ExprPtr expression();
  ExprPtr boolean(Expr::Kind kind, std::string_view word, ExprPtr (Parser::*operand)());
  ExprPtr disjunction() { return boolean(Expr::BoolOr, "or", &Parser::conjunction); }
  ExprPtr conjunction() { return boolean(Expr::BoolAnd, "and", &Parser::inversion); }

  // Applies prefix operators (not not x, - - x) without recursion.
  ExprPtr unary(const std::vector<std::pair<Span, UnaryOp>>& operators, ExprPtr x) const;
  ExprPtr inversion();
  bool comparison_operator(Compare& op);  // consumes it; false: there is none
  ExprPtr comparison();
  ExprPtr binary(int level = 0);
  ExprPtr factor();
  ExprPtr primary();
  void close(std::string_view bracket);
  ExprPtr slice();
  std::vector<Argument> arguments();
  // left for target in iterable if condition …
  ExprPtr comprehension(Expr::Kind kind, const Span& start, ExprPtr left, ExprPtr right);
  // Parses the targets between "for" and "in".
  ExprPtr for_target(bool comprehension);
  ExprPtr atom();
  ExprPtr group();
  ExprPtr list();
  ExprPtr braces();
  ExprPtr lambda();

  // ---- literals
  ExprPtr number();
  // Joins adjacent strings; gives an FString if one of them is an f-string.
  ExprPtr strings();
  // Adds the text since the last field to x as a Constant.
  void flush(Expr& x, std::string& text);
  // Parses one part of an f-string or of a format specification: text, or a field.
  void part(Expr& x, std::string& text, bool raw, bool specification);
  // Appends the meaning of a string's text between its quotes.
  void decode(std::string_view text, bool raw, const Span& where, std::string& to) const;

  // ---- parameters, up to `last`
  void parameters(Code& code, std::string_view last);

  // ---- statements
  // Parses the simple statements of one line, or a compound statement.
  void statement(Body& body);
  // True if this line opens a block whose first word is `case`: a match statement.
  bool is_match() const;
  // The last line of the last token that is not layout.
  int last_line() const;
  StatementPtr begin(Statement::Kind kind) const;
  StatementPtr simple();
  bool ends_statement() const { return at(Token::Newline) || at(";"); }

  StatementPtr simple_parts();
  void check_deletable(const Expr& x) const;
  std::string dotted();  // a.b.c
  // Parses [as name]; without it, `otherwise` is the name.
  Statement::Imported imported(std::string module, const Span& start, std::string otherwise);
  void import(Statement& s);
  void import_from(Statement& s);
  void assignment(Statement& s);

  // ---- compound statements
  // Parses ":" and the block after it. forced: if ":" is missing, the error is always "expected ':'".
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
  // Throws for a method like __hash__ that would never be called.
  void check_special(const Statement& method) const;

  const Source& source_;
  const std::vector<Token>& tokens_;
  size_t at_ = 0;
  int level_ = 0;
  int brackets_ = 0;  // open brackets
};

}  // namespace glassgrad::script
