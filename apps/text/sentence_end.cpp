#include "sentence_end.h"

#include <cctype>

namespace glassgrad {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\t' || c == '\r'; }

bool is_word(char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c & 0x80) != 0; }

}  // namespace

bool SentenceEnd::comes_before(std::string_view next) const {
  if (!begun_ || next.empty()) return false;
  if (next[0] == '\n' && (lines_ || new_line_)) return true;
  return closed_ && is_space(next[0]);
}

void SentenceEnd::add(std::string_view text) {
  for (const char c : text) {
    begun_ = begun_ || is_word(c);
    new_line_ = c == '\n';
    const bool closes_what_is_around = c == '"' || c == '\'' || c == ')' || c == ']';
    closed_ = c == '.' || c == '!' || c == '?' || (closed_ && closes_what_is_around);
  }
}

bool has_full_stop(const Tokenizer& tokenizer) { return tokenizer.unknown(".").empty(); }

}  // namespace glassgrad
