// Byte-pair encoding as GPT-2 has it: every piece of the text (word_end in split.h) starts as its bytes; then
// the merge of the lowest rank that fits anywhere is done, from left to right, until none fits.
#pragma once
#include <optional>

#include "tokenizer.h"

namespace glassgrad {

// Two neighbours become one token.
struct Merge {
  int32_t left, right, result;
};

// A row of tokens in which neighbours are merged in place: the left one becomes the result, the right one
// leaves the row.
struct Chain {
  static constexpr int32_t kNone = -1;
  std::vector<int32_t> id, next, previous;  // kNone: gone; no neighbour

  int32_t size() const { return static_cast<int32_t>(id.size()); }
  // At the end of the last piece, or as the first of a new one.
  void append(int32_t token, bool new_piece);
  // Whether `merge` fits at place i and its right neighbour.
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

  // The next merge, which ranks after those before it: two tokens in GPT-2's byte alphabet with one space
  // between. ValueError, which begins with `where`: not that, a token or the merged one is not in the
  // vocabulary, a pair that has a rank.
  void add_merge(std::string_view pair, std::string_view where);

  std::string_view kind() const override { return "bpe"; }
  // ValueError: a text of 2 GiB or more.
  std::vector<int64_t> encode(std::string_view text) const override;
  int64_t merges() const { return static_cast<int64_t>(merges_.size()); }

 private:
  void describe(nlohmann::json& description) const override;
  void encode_piece(std::string_view piece, std::vector<int64_t>& ids) const;

  std::vector<Merge> merges_;                    // by rank
  std::unordered_map<uint64_t, int32_t> ranks_;  // of a pair_key
};

}  // namespace glassgrad
