// A program's text as tokens, like those of Python's tokenizer: a logical line continues inside brackets, and
// an indented block is between Indent and Dedent.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/script/ast.h"

namespace glassgrad::script {

struct Token {
  enum Kind : uint8_t {
    Name,
    Keyword,
    Number,
    String,  // with its prefix and quotes
    Op,      // also the braces, ":" and "!" of an f-string's fields
    FStart,  // f" …
    FText,   // the text of an f-string between fields; escapes and doubled braces are kept as written
    FEnd,    // … "
    Newline,
    Indent,
    Dedent,
    End
  };
  Kind kind;
  Span where;
  std::string_view text;
};

// The text, its place in its file, and its tokens.
class Source {
 public:
  Source(std::string_view text, std::string file, int first_line);
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  std::vector<Token> tokens;
  bool is_library() const { return file_ == kLibraryFile; }
  // The bracket that is still open at the end of the text; empty if there is none.
  Token unclosed{};

  // Throws SyntaxError for a line of the file and a column in bytes.
  [[noreturn]] void fail(int line, int column, std::string text, SyntaxError::Type type = SyntaxError::Syntax,
                         std::string hint = "") const;

 private:
  friend class Lexer;
  std::string text_, file_;
  int first_line_;
  std::vector<size_t> lines_;  // where each line starts
};

}  // namespace glassgrad::script
