// A sequence of tokens, in memory or in a file, read at any place.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace glassgrad {

class Tokenizer;

class TokenSequence {
 public:
  virtual ~TokenSequence() = default;
  virtual int64_t size() const = 0;
  // Reads the tokens at, at + 1, …, which must all exist. Throws Error if the file cannot be read or became
  // shorter.
  virtual void read(int64_t at, std::span<int64_t> to) const = 0;
};

// Returns the tokens of a text, kept in memory, four bytes each.
std::unique_ptr<TokenSequence> token_sequence(const Tokenizer& tokenizer, std::string_view text);
// Returns the tokens of a file of any bytes. The kind byte reads them from the file when they are needed, so
// the file may be larger than the memory; other kinds keep all tokens in memory.
// Throws Error if the file is not regular, empty, unreadable, or too long for memory (kMaxText in
// text_file.h).
std::unique_ptr<TokenSequence> token_sequence_of_file(const Tokenizer& tokenizer, const std::string& path);
// Returns the tokens of nanoGPT's .bin: numbers of 16 bits, the lower byte first, nothing else. They are read
// when needed; a token of `vocabulary` or above then throws an Error that names its position. Throws Error
// also for a size that is odd or 0.
std::unique_ptr<TokenSequence> token_sequence_of_bin(const std::string& path, int64_t vocabulary);

// Returns one sequence followed by the other.
std::unique_ptr<TokenSequence> joined(std::unique_ptr<const TokenSequence> first,
                                      std::unique_ptr<const TokenSequence> second);

// Returns the largest token of a sequence, which is read from front to back: the vocabulary has at least one
// more.
int64_t largest_token(const TokenSequence& tokens);

}  // namespace glassgrad
