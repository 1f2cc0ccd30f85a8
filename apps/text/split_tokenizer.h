// The tokenizers that only split: a piece in the vocabulary is one token, any other piece becomes its bytes.
#pragma once
#include "split.h"
#include "tokenizer.h"

namespace glassgrad {

struct SplitKind {
  const char* name;
  size_t (*end)(std::string_view text, size_t at);  // of split.h
};
inline constexpr SplitKind kByteSplit{"byte", byte_end}, kCharSplit{"char", char_end},
    kWordSplit{"word", word_end};

class SplitTokenizer : public Tokenizer {
 public:
  // In the vocabulary, the single bytes that are not among the pieces follow the pieces.
  SplitTokenizer(SplitKind kind, const std::vector<std::string>& pieces, std::string_view where);

  std::string_view kind() const override { return kind_.name; }
  std::vector<int64_t> encode(std::string_view text) const override;
  std::vector<std::string> unknown(std::string_view text) const override;
  int64_t stand_ins() const override { return kind_.end == byte_end ? 0 : size() - pieces_; }

 private:
  void describe(nlohmann::json& description) const override;

  SplitKind kind_;
  int64_t pieces_;
};

}  // namespace glassgrad
