// Byte-pair encoding, like GPT-2's: every piece of the text (word_end in split.h) starts as its bytes; then
// the merge of the lowest rank that fits anywhere is applied, from left to right, until none fits.
#pragma once
#include <optional>

#include "tokenizer.h"

namespace glassgrad {

// Two neighbours become one token.
struct Merge {
  int32_t left, right, result;
};

// A sequence of tokens in which neighbours are merged in place: the left token becomes the result, the right
// token leaves the sequence.
struct Chain {
  static constexpr int32_t kNone = -1;
  std::vector<int32_t> id, next, previous;  // kNone: removed; no neighbour

  int32_t size() const { return static_cast<int32_t>(id.size()); }
  // Appends a token to the last piece, or as the first token of a new piece.
  void append(int32_t token, bool new_piece);
  // Returns whether `merge` fits at place i and its right neighbour.
  bool fits(int32_t i, const Merge& merge) const;
  void apply(int32_t i, int32_t result);
};

// A pair of ids as the key of a table.
constexpr uint64_t pair_key(int32_t left, int32_t right) {
  return uint64_t(uint32_t(left)) << 32 | uint32_t(right);
}

class BpeTokenizer : public Tokenizer {
 public:
  BpeTokenizer(std::vector<std::string> tokens, std::string_view where)
      : Tokenizer(std::move(tokens), where) {}

  // Adds the next merge, which ranks after the merges before it: two tokens in GPT-2's byte alphabet,
  // separated by one space. Throws ValueError, which begins with `where`, for a different format, for a token
  // or merged token that is not in the vocabulary, and for a pair that has a rank already.
  void add_merge(std::string_view pair, std::string_view where);

  std::string_view kind() const override { return "bpe"; }
  // Throws ValueError for a text of 2 GiB or more.
  std::vector<int64_t> encode(std::string_view text) const override;
  int64_t merges() const { return static_cast<int64_t>(merges_.size()); }

 private:
  void describe(nlohmann::json& description) const override;
  void encode_piece(std::string_view piece, std::vector<int64_t>& ids) const;

  std::vector<Merge> merges_;                    // by rank
  std::unordered_map<uint64_t, int32_t> ranks_;  // key: pair_key
};

}  // namespace glassgrad
