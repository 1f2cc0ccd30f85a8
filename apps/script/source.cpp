// Errors in the text of a program.
#include "apps/script/lexer.h"

#include <algorithm>

#include "engine/core/utf8.h"

namespace glassgrad::script {

void Source::fail(int line, int column, std::string text, SyntaxError::Type type, std::string hint) const {
  const size_t index = std::min(static_cast<size_t>(line - first_line_), lines_.size() - 1);
  const std::string_view before =
      std::string_view(text_).substr(lines_[index], static_cast<size_t>(std::max(column, 0)));
  throw SyntaxError(type, file_, line, static_cast<int>(count_characters(before)) + 1, std::move(text),
                    std::move(hint));
}

SyntaxError::SyntaxError(Type t, std::string in, int at_line, int at_column, std::string what,
                         std::string how)
    : Error(fmt::format("{}:{}:{}: {}", in, at_line, at_column, what)),
      type(t),
      file(std::move(in)),
      line(at_line),
      column(at_column),
      text(std::move(what)),
      hint(std::move(how)) {}

const char* SyntaxError::kind() const noexcept {
  return type == Indentation ? "IndentationError" : "SyntaxError";
}

}  // namespace glassgrad::script
