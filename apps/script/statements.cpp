#include <fmt/core.h>

#include "apps/script/parser.h"

namespace glassgrad::script {

void Parser::statement(Body& body) {
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

bool Parser::is_match() const {
  size_t i = at_;
  while (tokens_[i].kind != Token::Newline && tokens_[i].kind != Token::End) ++i;
  return tokens_[i - 1].text == ":" && i + 2 < tokens_.size() && tokens_[i + 1].kind == Token::Indent &&
         tokens_[i + 2].text == "case";
}

int Parser::last_line() const {
  size_t i = at_ - 1;
  while (tokens_[i].kind == Token::Dedent || tokens_[i].kind == Token::Newline) --i;
  return tokens_[i].where.end_line;
}

StatementPtr Parser::begin(Statement::Kind kind) const {
  auto s = std::make_unique<Statement>();
  s->kind = kind;
  s->where = token().where;
  return s;
}

StatementPtr Parser::simple() {
  StatementPtr s = simple_parts();
  end(s->where);
  s->last_line = s->where.end_line;
  return s;
}

StatementPtr Parser::simple_parts() {
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

void Parser::check_deletable(const Expr& x) const {
  if (x.kind == Expr::Tuple || x.kind == Expr::List) {
    for (const ExprPtr& item : x.items) check_deletable(*item);
  } else if (!is_target(x)) {
    fail(x.where, fmt::format("cannot delete {}", name_of(x)));
  }
}

std::string Parser::dotted() {
  std::string text = name();
  while (eat(".")) text += "." + name();
  return text;
}

Statement::Imported Parser::imported(std::string module, const Span& start, std::string otherwise) {
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

void Parser::import(Statement& s) {
  const Span start = token().where;
  if (ends_statement()) fail(start, "Expected one or more names after 'import'");
  std::string module = dotted();
  std::string package = module.substr(0, module.find('.'));
  s.imports.push_back(imported(std::move(module), start, std::move(package)));
}

void Parser::import_from(Statement& s) {
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

void Parser::assignment(Statement& s) {
  ExprPtr first = expressions_or_yield();
  if (at(Token::Op) && token().text.size() > 1 && token().text.back() == '=') {
    if (const Operator* const op = binary_operator(token().text.substr(0, token().text.size() - 1))) {
      if (!is_target(*first))
        fail(first->where,
             fmt::format("'{}' is an illegal expression for augmented assignment", name_of(*first)));
      next();
      s.kind = Statement::AugAssign;
      s.binary = op->op;
      s.targets.push_back(std::move(first));
      s.value = expressions_or_yield();
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
    const char* const begin = token().text.data();
    expression();
    const std::string_view last = tokens_[at_ - 1].text;
    s.text.assign(begin, last.data() + last.size());
    if (eat("=")) s.value = expressions_or_yield();
    return;
  }
  while (at("=")) {
    const bool word = first->kind == Expr::Constant && name_of(*first) != "literal";
    if (not_a_target(*first) == first.get() && !word) no_assignment(*first);
    check_target(*first);
    next();
    s.kind = Statement::Assign;
    s.targets.push_back(std::move(first));
    first = expressions_or_yield();
  }
  s.value = std::move(first);
}

void Parser::block(Body& body, Statement& s, std::string_view what, bool forced) {
  head(s.where, forced);
  suite(body, s.where.line, what);
}

void Parser::head(Span& where, bool forced) {
  if (!at(":") && (forced || at(Token::Newline))) fail(token().where, "expected ':'");
  expect(":");
  end(where);
}

void Parser::suite(Body& body, int line, std::string_view what) {
  if (!at(Token::Newline)) return one_line(body);
  next();
  if (!at(Token::Indent))
    fail(token().where, fmt::format("expected an indented block after {} on line {}", what, line),
         SyntaxError::Indentation);
  next();
  while (!at(Token::Dedent)) statement(body);
  next();
}

void Parser::one_line(Body& body) {
  for (const char* const word : {"if", "while", "for", "def", "class", "try", "with", "@"})
    if (at(word)) invalid();
  statement(body);
}

void Parser::otherwise(Body& body) {
  const Span start = token().where;
  if (!eat("else")) return;
  Span where = start;
  head(where, true);
  suite(body, start.line, "'else' statement");
}

StatementPtr Parser::branches() {
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

StatementPtr Parser::while_loop() {
  StatementPtr s = begin(Statement::While);
  next();
  s->value = condition();
  block(s->body, *s, "'while' statement");
  otherwise(s->other);
  return s;
}

StatementPtr Parser::for_loop() {
  StatementPtr s = begin(Statement::For);
  next();
  s->targets.push_back(for_target(false));
  s->value = expressions();
  block(s->body, *s, "'for' statement");
  otherwise(s->other);
  return s;
}

StatementPtr Parser::with() {
  StatementPtr s = begin(Statement::With);
  next();
  do {
    s->items.push_back(expression());
    if (s->items.back()->kind == Expr::Tuple)
      refuse(s->items.back()->where, "a tuple after with is not supported", "leave out its parentheses");
    ExprPtr target;
    if (eat("as")) {
      target = at("*") ? starred() : binary();
      check_target(*target);
    }
    s->items.push_back(std::move(target));
  } while (eat(","));
  block(s->body, *s, "'with' statement");
  return s;
}

StatementPtr Parser::attempt() {
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

StatementPtr Parser::decorated() {
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

void Parser::no_type_parameters() {
  if (at("["))
    refuse(token().where, "type parameters are not supported", "leave them out: types are not checked");
}

StatementPtr Parser::function() {
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

StatementPtr Parser::class_definition() {
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
  for (const StatementPtr& inner : s->body)
    if (inner->kind == Statement::Def) check_special(*inner);
  s->code->where = s->where;
  s->code->document = document(s->body);
  return s;
}

void Parser::check_special(const Statement& method) const {
  constexpr std::string_view kSpecial =
      " __init__ __call__ __repr__ __str__ __len__ __bool__ __iter__ __next__ __getitem__ __setitem__ "
      "__contains__ __enter__ __exit__ __getattr__ __setattr__ __eq__ __lt__ __le__ __gt__ __ge__ "
      "__neg__ __add__ __radd__ __sub__ __rsub__ __mul__ __rmul__ __truediv__ __rtruediv__ __floordiv__ "
      "__rfloordiv__ __mod__ __rmod__ __pow__ __rpow__ __matmul__ __rmatmul__ __and__ __rand__ __or__ "
      "__ror__ __xor__ __rxor__ __post_init__ __copy__ __deepcopy__ ";
  const std::string& name = method.code->name;
  if (name.starts_with("__") && name.ends_with("__") && kSpecial.find(" " + name + " ") == kSpecial.npos)
    refuse(method.where, fmt::format("the special method {} is not supported", name),
           "give the method a name of your own");
}

std::string Parser::document(const Body& body) {
  if (body.empty() || body[0]->kind != Statement::Expression || body[0]->value->kind != Expr::Constant)
    return "";
  const Str* const text = body[0]->value->value.as<Str>();
  return text ? text->text : "";
}

}  // namespace glassgrad::script
