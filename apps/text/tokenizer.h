// Turns text into numbers and back. The four kinds differ in what a token is:
//   byte  a byte: 256 tokens, each with the byte as its number
//   char  a character (Unicode code point) of a training text
//   word  a word, number, punctuation or white space; a word keeps the space before it: " trees"
//   bpe   byte-pair encoding, like GPT-2's: bytes, and what often occurs side by side
// Any bytes are text, and decode(encode(text)) == text for every kind: char and word encode a piece that is
// not in the vocabulary as single bytes, whose tokens are at the vocabulary's end.
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
  // Returns the bytes of the tokens, one after the other. Throws IndexError, with the position, for an id
  // outside 0 … size() − 1.
  std::string decode(std::span<const int64_t> ids) const;

  int64_t size() const { return static_cast<int64_t>(tokens_.size()); }
  // Returns how many tokens, at the end, are single bytes that only stand in for what the training text
  // lacked.
  virtual int64_t stand_ins() const { return 0; }
  // Returns the pieces of a text that only such bytes can encode, each once, in order.
  virtual std::vector<std::string> unknown(std::string_view text) const {
    (void)text;
    return {};
  }
  // Returns the bytes of one token. Throws IndexError for an id outside the vocabulary.
  const std::string& token(int64_t id) const;
  // The same for a terminal: ␣trees, \n, \xff (visible.h).
  std::string token_text(int64_t id) const;

  // Returns all that tokenizer_from_json needs, as text: bytes are in GPT-2's byte alphabet
  // (byte_alphabet.h).
  std::string to_json() const;

 protected:
  // tokens: the tokens' bytes by id, all 256 single bytes among them. Throws ValueError, which begins with
  // `where`, for a token without bytes, a token that occurs twice, and a missing byte.
  Tokenizer(std::vector<std::string> tokens, std::string_view where);

  int64_t id_of_byte(char byte) const { return byte_ids_[static_cast<unsigned char>(byte)]; }
  // Returns −1 if there is none.
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
// Adds to the bytes up to vocabulary − 256 tokens, each the most frequent pair of neighbours within the
// pieces of word_end (split.h); of equally frequent pairs, the one with the lower left id, then the lower
// right id. Skips a pair that spells an existing token. Ends early when no pair occurs twice. Throws
// ValueError for a vocabulary below 256.
std::unique_ptr<Tokenizer> bpe_tokenizer(std::string_view training_text, int64_t vocabulary);
// Loads GPT-2's files. Encodes like its published program; text that looks like <|endoftext|> is text. Throws
// Error, with file and line, for what does not fit.
std::unique_ptr<Tokenizer> load_gpt2_tokenizer(const std::string& vocab_json, const std::string& merges_txt);
// The same from the tokenizer.json of Hugging Face's tokenizers, merges as texts or pairs. Errors as above,
// and ValueError for a different kind of tokenizer.
std::unique_ptr<Tokenizer> load_tokenizer_json(const std::string& path);

// Makes the kind of that name; `vocabulary` is the size that bpe grows to. Throws UsageError if there is no
// such kind.
std::unique_ptr<Tokenizer> make_tokenizer(std::string_view kind, std::string_view training_text,
                                          int64_t vocabulary);
// Reads what to_json() has written. Throws ValueError, which begins with `where`, if it is no such
// description, or contradicts itself.
std::unique_ptr<Tokenizer> tokenizer_from_json(std::string_view description, std::string_view where);

}  // namespace glassgrad
