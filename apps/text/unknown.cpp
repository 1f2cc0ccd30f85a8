#include "unknown.h"

#include <fmt/format.h>

#include <algorithm>

#include "visible.h"

namespace glassgrad {
namespace {

constexpr size_t kMostNamed = 5, kLongestNamed = 40;  // words, bytes

// A word's space belongs to its token: " cats" may be unknown although "cats" is a token.
std::string named(const Tokenizer& tokenizer, std::string_view piece) {
  if (piece.size() > kLongestNamed) piece = piece.substr(0, kLongestNamed);
  if (piece.size() < 2 || piece[0] != ' ') return fmt::format("\"{}\"", visible(piece));
  const std::string_view word = piece.substr(1);
  const bool only_with_a_space = tokenizer.unknown(word).empty();
  return fmt::format("\"{}\"{}", visible(word), only_with_a_space ? " after a space" : "");
}

}  // namespace

std::string told_unknown(const Tokenizer& tokenizer, std::string_view text) {
  const std::vector<std::string> pieces = tokenizer.unknown(text);
  if (pieces.empty()) return {};
  std::string list;
  const size_t shown = std::min(pieces.size(), kMostNamed);
  for (size_t k = 0; k < shown; ++k)
    list += (k == 0 ? "" : k + 1 < pieces.size() ? ", " : " and ") + named(tokenizer, pieces[k]);
  if (shown < pieces.size()) list += fmt::format(" and {} more", pieces.size() - shown);
  const bool one = pieces.size() == 1;
  const char* what =
      tokenizer.kind() == "char" ? (one ? "character" : "characters") : (one ? "word" : "words");
  return fmt::format("the model has never read the {} {}: {} no token, so it gets single bytes instead", what,
                     list, one ? "it has" : "they have");
}

}  // namespace glassgrad
