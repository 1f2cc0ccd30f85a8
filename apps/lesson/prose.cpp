#include "apps/lesson/prose.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/lesson/markdown.h"
#include "apps/lesson/phrases.h"
#include "apps/script/types.h"
#include "engine/ops.h"
#include "engine/ops/promote.h"

namespace glassgrad::learn {

using script::BuiltinArgs;
using script::Interpreter;

const script::Program& ExpressionParser::parse(std::string_view expression, int line) {
  try {
    kept_.push_back(script::parse(fmt::format("({})", expression), file_, names_, line));
  } catch (const script::SyntaxError& e) {
    fail("{}:{}: {} in {}", file_, line, e.text, expression);
  }
  const auto& body = kept_.back().body;
  check(body.size() == 1 && body[0]->kind == script::Statement::Expression, "{}:{}: {} is not one expression",
        file_, line, expression);
  return kept_.back();
}

namespace {

// Returns where the brackets opened before `at` end, or the first place of one of `ends` at this bracket
// level.
size_t find_on_level(std::string_view text, size_t at, std::string_view ends) {
  int depth = 0;
  char quote = 0;
  for (; at < text.size(); ++at) {
    const char c = text[at];
    if (quote) {
      if (c == '\\')
        ++at;
      else if (c == quote)
        quote = 0;
    } else if (depth == 0 && ends.find(c) != std::string_view::npos) {
      if (c == '!' && at + 1 < text.size() && text[at + 1] == '=')
        ++at;
      else
        return at;
    } else if (c == '"' || c == '\'') {
      quote = c;
    } else if (c == '(' || c == '[' || c == '{') {
      ++depth;
    } else if (c == ')' || c == ']' || c == '}') {
      --depth;
    }
  }
  return std::string_view::npos;
}

}  // namespace

ProseTemplate ExpressionParser::prose_template(const Paragraph& paragraph) {
  ProseTemplate made{.parts = {}, .line = paragraph.line};
  const std::string_view text = paragraph.text;
  std::string plain;
  for (size_t at = 0; at < text.size();) {
    const char c = text[at];
    const bool doubled = at + 1 < text.size() && text[at + 1] == c;
    if ((c == '{' || c == '}') && doubled) {
      plain += c;
      at += 2;
    } else if (c == '{') {
      made.parts.emplace_back(std::exchange(plain, {}));
      const size_t end = find_on_level(text, at + 1, "}");
      check(end != std::string_view::npos, "{}:{}: a {{ has no }}", file_, paragraph.line);
      std::string_view inside = text.substr(at + 1, end - at - 1);
      ProseTemplate::Hole hole{.expression = nullptr, .as_repr = false, .specification = {}};
      if (const size_t sign = find_on_level(inside, 0, "!:"); sign != std::string_view::npos) {
        std::string_view after = inside.substr(sign);
        inside = inside.substr(0, sign);
        if (after.starts_with("!r")) hole.as_repr = true, after.remove_prefix(2);
        if (after.starts_with(':')) hole.specification = after.substr(1);
      }
      hole.expression = &parse(inside, paragraph.line);
      made.parts.emplace_back(std::move(hole));
      at = end + 1;
    } else {
      check(c != '}', "{}:{}: a }} stands alone: }}}} is a bracket", file_, paragraph.line);
      plain += c;
      ++at;
    }
  }
  made.parts.emplace_back(std::move(plain));
  return made;
}

bool has_expressions(const Paragraph& paragraph) {
  const std::string& text = paragraph.text;
  size_t at = text.find('{');
  while (at != text.npos && text.substr(at, 2) == "{{") at = text.find('{', at + 2);
  return at != text.npos;
}

namespace {

// Writes a number as a lesson prints it: "0.2379", "(2, 6)".
std::string digits_of(Interpreter& in, const script::Value& x) {
  if (const Tensor* t = tensor_of(x)) {
    check(t->numel() == 1, "a tensor in prose has one element, and this one has {}: join() it", t->numel());
    return is_floating(t->dtype()) ? digits(*t) : in.str(in.call(in.attribute(x, "item"), {}));
  }
  if (x.is_float()) return digits(x.real());
  if (const auto* t = x.as<script::Tuple>(); t && t->type)
    return in.str(script::tuple({t->items.begin(), t->items.end()}));
  return in.str(x);
}

Tensor number_or_tensor(Interpreter&, const script::Value& x) {
  if (const Tensor* t = tensor_of(x)) return *t;
  if (x.is_float()) return full({}, x.real(), float32);
  return full({}, static_cast<double>(script::index_of(x)), float32);
}

script::Value quote(Interpreter& in, BuiltinArgs a) { return script::str(in_quotes(in.str(a[0]))); }
script::Value plural(Interpreter&, BuiltinArgs a) {
  return script::str(
      counted(script::index_of(a[0]), script::text_of(a[1], "plural() takes a number and a noun")));
}
script::Value join(Interpreter& in, BuiltinArgs a) {
  std::vector<std::string> words;
  for (const script::Value& x : in.items(a[0]))
    words.push_back(x.as<script::Str>() ? in.str(x) : digits_of(in, x));
  const std::string between = a[1] ? in.str(a[1]) : ", ";
  const int64_t most = a[2] ? script::index_of(a[2]) : 8;
  return script::str(joined(words, between, static_cast<size_t>(most)));
}
// Returns the two tensors that differ() and near() compare, expanded to the shape of both.
std::pair<Tensor, Tensor> compared(Interpreter& in, BuiltinArgs a) {
  constexpr int64_t kMost = 1 << 24;
  const Tensor x = number_or_tensor(in, a[0]), y = number_or_tensor(in, a[1]);
  const Dims shape = broadcast(x.shape(), y.shape());
  check(shape.numel() > 0, "there is nothing to compare in shapes {} and {}", to_string(x.shape()),
        to_string(y.shape()));
  check(shape.numel() <= kMost, "at most {} numbers are compared, and these are {}", kMost, shape.numel());
  return {x.expand(shape), y.expand(shape)};
}
script::Value differ(Interpreter& in, BuiltinArgs a) {
  const auto [x, y] = compared(in, a);
  return script::str(largest_difference(x, y));
}
// Returns whether |a − b| ≤ 1e-6 + 1e-5·|b|, or both are the same infinity.
script::Value near(Interpreter& in, BuiltinArgs a) {
  const auto [x, y] = compared(in, a);
  return script::Value::of(all(logical_or(eq(x, y), le(abs(x - y), abs(y) * 1e-5 + 1e-6))).is_true());
}

}  // namespace

std::string text_of(Interpreter& in, const ProseTemplate& prose_template) {
  std::string text;
  bool in_code = false;
  for (const auto& part : prose_template.parts) {
    if (const auto* plain = std::get_if<std::string>(&part)) {
      text += *plain;
      in_code ^= std::count(plain->begin(), plain->end(), '`') % 2 != 0;
      continue;
    }
    const auto& hole = std::get<ProseTemplate::Hole>(part);
    script::Value x = in.evaluate(*hole.expression);
    if (hole.as_repr) x = script::str(in.repr(x));
    std::string value;
    if (!hole.specification.empty()) {
      if (tensor_of(x)) x = in.call(in.attribute(x, "item"), {});
      value = in.format(x, hole.specification);
    } else {
      value = hole.as_repr ? in.str(x) : digits_of(in, x);
    }
    std::replace(value.begin(), value.end(), '\n', ' ');
    text += in_code ? value : escaped(value);  // a token's name must not act as a mark
  }
  return text;
}

std::vector<std::pair<const char*, script::Value>> prose_helpers() {
  constexpr script::BuiltinDef kRows[] = {{"quote", 1, 1, quote},
                                          {"plural", 2, 2, plural},
                                          {"join", 1, 3, join, "xs between most"},
                                          {"differ", 2, 2, differ},
                                          {"near", 2, 2, near}};
  std::vector<std::pair<const char*, script::Value>> all;
  for (const script::BuiltinDef& row : kRows) all.emplace_back(row.name, script::function(row));
  return all;
}

}  // namespace glassgrad::learn
