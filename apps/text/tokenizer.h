// What turns text into numbers and back. Four kinds, which differ in what a token is:
//   byte  each byte is one: 256 tokens, its number is the byte
//   char  the characters (Unicode code points) of a training text
//   word  its words, numbers, punctuation and white space; a word keeps the space before it: " trees"
//   bpe   byte-pair encoding as GPT-2 has it: bytes, and what often stands side by side
// Any bytes are text, and decode(encode(text)) == text for every kind: what is not in the vocabulary of char
// or word becomes its single bytes, whose tokens stand at the vocabulary's end.
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace glassgrad {

// A vocabulary takes about 150 bytes for each token.
inline constexpr size_t kMostTokens = 1 << 20;

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;
  Tokenizer(const Tokenizer&) = delete;
  Tokenizer& operator=(const Tokenizer&) = delete;

  virtual std::string_view kind() const = 0;
  virtual std::vector<int64_t> encode(std::string_view text) const = 0;
  // The bytes of the tokens, one after the other. IndexError: an id outside 0 … size() − 1, and its position.
  std::string decode(std::span<const int64_t> ids) const;

  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }
  // How many of them, at the end, are single bytes that only stand in for what the training text lacked.
  virtual int64_t stand_ins() const { return 0; }
  // The pieces of a text that only such bytes stand for, each once, in order.
  virtual std::vector<std::string> unknown(std::string_view text) const {
    (void)text;
    return {};
  }
  // The bytes of one token. IndexError: an id outside the vocabulary.
  const std::string& token(int64_t id) const;
  // The same for a terminal: ␣trees, \n, \xff (visible.h).
  std::string token_text(int64_t id) const;

  // All that tokenizer_from_json needs, as text: bytes stand in GPT-2's byte alphabet (byte_alphabet.h).
  std::string to_json() const;

 protected:
  // The tokens' bytes by id; all 256 single bytes are among them. ValueError, which begins with `where`: a
  // token without bytes, the same one twice, a byte that is missing.
  Tokenizer(std::vector<std::string> tokens, std::string_view where);

  int64_t id_of_byte(char byte) const { return byte_ids_[static_cast<unsigned char>(byte)]; }
  // −1 if there is none.
  int64_t id_of(std::string_view token) const;

 private:
  // Adds what the kind needs besides its name.
  virtual void describe(nlohmann::json& description) const = 0;

  std::vector<std::string> tokens_;
  std::unordered_map<std::string_view, int32_t> ids_;  // views into tokens_
  std::array<int32_t, 256> byte_ids_;
};

std::unique_ptr<Tokenizer> byte_tokenizer();
// The vocabularies are in the order of the tokens' bytes (for valid UTF-8 that of the code points).
std::unique_ptr<Tokenizer> char_tokenizer(std::string_view training_text);
std::unique_ptr<Tokenizer> word_tokenizer(std::string_view training_text);
// The bytes, then up to vocabulary − 256 tokens, each the most frequent pair of neighbours within the pieces
// of word_end (split.h); of equally frequent pairs the one with the lower left id, then the lower right id. A
// pair that spells a token there is already is passed over. Ends early when no pair occurs twice.
// ValueError: a vocabulary below 256.
std::unique_ptr<Tokenizer> bpe_tokenizer(std::string_view training_text, int64_t vocabulary);
// GPT-2's files. Encodes as its published program does; text that looks like <|endoftext|> is text.
// Error: what does not fit, with file and line.
std::unique_ptr<Tokenizer> load_gpt2_tokenizer(const std::string& vocab_json, const std::string& merges_txt);

// The kind by its name; `vocabulary` is the size that bpe grows to. UsageError: no such kind.
std::unique_ptr<Tokenizer> make_tokenizer(std::string_view kind, std::string_view training_text,
                                          int64_t vocabulary);
// From to_json(). ValueError, which begins with `where`: not such a description, or one that contradicts
// itself.
std::unique_ptr<Tokenizer> tokenizer_from_json(std::string_view description, std::string_view where);

}  // namespace glassgrad
