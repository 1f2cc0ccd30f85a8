#include "split.h"

#include "unicode.h"

namespace glassgrad {
namespace {

CharClass class_at(std::string_view text, size_t at) {
  const CodePoint c = code_point(text, at);
  const CharClass of = c.valid ? char_class(c.value) : CharClass::Other;
  return of == CharClass::Unassigned ? CharClass::Other : of;
}

// The end of the run of characters of one class that starts at `at`, and the start of its last character.
struct Run {
  size_t end, last;
};
Run run_of(CharClass of, std::string_view text, size_t at) {
  Run run{at, at};
  while (run.end < text.size() && class_at(text, run.end) == of) {
    run.last = run.end;
    run.end += code_point(text, run.end).length;
  }
  return run;
}

// Returns the length of a contraction's ending, 0 if there is none.
size_t contraction(std::string_view text) {
  for (const std::string_view ending : {"'s", "'t", "'re", "'ve", "'m", "'ll", "'d"})
    if (text.starts_with(ending)) return ending.size();
  return 0;
}

}  // namespace

size_t byte_end(std::string_view, size_t at) { return at + 1; }

size_t char_end(std::string_view text, size_t at) { return at + code_point(text, at).length; }

size_t word_end(std::string_view text, size_t at) {
  if (const size_t length = contraction(text.substr(at))) return at + length;
  const size_t start = at + (text[at] == ' ' ? 1 : 0);
  if (start < text.size()) {
    const CharClass of = class_at(text, start);
    if (of != CharClass::Space) return run_of(of, text, start).end;
  }
  // White space before a word ends before its last character, a space that belongs to the word.
  const Run run = run_of(CharClass::Space, text, at);
  return run.end == text.size() || run.last == at ? run.end : run.last;
}

}  // namespace glassgrad
