// The sentences of a lesson's file: f-strings whose expressions print as a lesson prints numbers.
#pragma once
#include <deque>
#include <string>
#include <variant>

#include "apps/lesson/document.h"
#include "apps/script/interpreter.h"

namespace glassgrad::learn {

// A paragraph with its expressions parsed.
struct Sentence {
  struct Hole {
    const script::Program* expression;
    bool as_repr = false;
    std::string specification;  // ":.2g" without the colon
  };
  std::vector<std::variant<std::string, Hole>> parts;
  int line = 0;
};

// Parses the expressions of a document; what they are parsed into lives as long as this.
class Expressions {
 public:
  Expressions(std::string file, script::Names& names) : file_(std::move(file)), names_(names) {}
  // Error `FILE:LINE: …`.
  const script::Program& parse(std::string_view expression, int line);
  Sentence sentence(const Paragraph& paragraph);

 private:
  std::string file_;
  script::Names& names_;
  std::deque<script::Program> kept_;
};

// Whether an expression stands in it.
bool has_expressions(const Paragraph& paragraph);

// The text of a paragraph, Markdown; what its expressions give stands for itself. Error where an expression
// gives what prose cannot print.
std::string text_of(script::Interpreter& in, const Sentence& sentence);
// quote, plural, join, differ, near: by name.
std::vector<std::pair<const char*, script::Value>> prose_helpers();

}  // namespace glassgrad::learn
