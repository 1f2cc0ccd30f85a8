#include "unknown.h"

#include <fmt/core.h>

#include <algorithm>

#include "visible.h"

namespace glassgrad {
namespace {

constexpr size_t kMostNamed = 5, kLongestNamed = 40;  // words, bytes

// A word's space belongs to its token: " cats" may be unknown although "cats" is a token.
std::string named(const Tokenizer& tokenizer, std::string_view piece) {
  if (piece.size() > kLongestNamed) piece = piece.substr(0, kLongestNamed);
  if (piece.size() < 2 || piece[0] != ' ') {
    const bool only_after_a_space = tokenizer.unknown(fmt::format(" {}", piece)).empty();
    return fmt::format("\"{}\"{}", visible(piece), only_after_a_space ? " without a space before it" : "");
  }
  const std::string_view word = piece.substr(1);
  const bool only_with_a_space = tokenizer.unknown(word).empty();
  return fmt::format("\"{}\"{}", visible(word), only_with_a_space ? " after a space" : "");
}

// Names the pieces, of which there is at least one.
std::string list_of(const Tokenizer& tokenizer, const std::vector<std::string>& pieces) {
  std::string list;
  const size_t shown = std::min(pieces.size(), kMostNamed);
  for (size_t k = 0; k < shown; ++k)
    list += (k == 0 ? "" : k + 1 < pieces.size() ? ", " : " and ") + named(tokenizer, pieces[k]);
  if (shown < pieces.size()) list += fmt::format(" and {} more", pieces.size() - shown);
  return fmt::format("the {}{} {}", tokenizer.kind() == "char" ? "character" : "word",
                     pieces.size() == 1 ? "" : "s", list);
}

}  // namespace

std::string never_read(const Tokenizer& tokenizer, std::string_view text) {
  const std::vector<std::string> pieces = tokenizer.unknown(text);
  return pieces.empty() ? "" : list_of(tokenizer, pieces);
}

std::string told_unknown(const Tokenizer& tokenizer, std::string_view text) {
  const std::vector<std::string> pieces = tokenizer.unknown(text);
  if (pieces.empty()) return {};
  return fmt::format("the model has never read {}: {} no token, so it gets single bytes instead",
                     list_of(tokenizer, pieces), pieces.size() == 1 ? "it has" : "they have");
}

}  // namespace glassgrad
