// The sentences of a lesson's file: f-strings whose numbers are formatted as lessons print numbers.
#pragma once
#include <deque>
#include <string>
#include <variant>

#include "apps/lesson/document.h"
#include "apps/script/interpreter.h"

namespace glassgrad::learn {

// A paragraph with its expressions parsed.
struct ProseTemplate {
  struct Hole {
    const script::Program* expression;
    bool as_repr = false;
    std::string specification;  // ":.2g" without the colon
  };
  std::vector<std::variant<std::string, Hole>> parts;
  int line = 0;
};

// Parses the expressions of a document. The results live as long as this object.
class ExpressionParser {
 public:
  ExpressionParser(std::string file, script::Names& names) : file_(std::move(file)), names_(names) {}
  // Throws Error `FILE:LINE: …`.
  const script::Program& parse(std::string_view expression, int line);
  ProseTemplate prose_template(const Paragraph& paragraph);

 private:
  std::string file_;
  script::Names& names_;
  std::deque<script::Program> kept_;
};

// True if the paragraph contains an expression.
bool has_expressions(const Paragraph& paragraph);

// Returns the text of a paragraph as Markdown, with the results of its expressions escaped. Throws Error if
// the value of an expression cannot be printed in prose.
std::string text_of(script::Interpreter& in, const ProseTemplate& prose_template);
// Returns quote, plural, join, differ, near, by name.
std::vector<std::pair<const char*, script::Value>> prose_helpers();

}  // namespace glassgrad::learn
