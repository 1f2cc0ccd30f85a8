// A row of tokens, in memory or in a file, read at any place.
#pragma once
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace glassgrad {

class Tokenizer;

class TokenStream {
 public:
  virtual ~TokenStream() = default;
  virtual int64_t size() const = 0;
  // The tokens at, at + 1, …; all of them exist. Error: the file cannot be read or became shorter.
  virtual void read(int64_t at, std::span<int64_t> to) const = 0;
};

// The tokens of a text, kept in memory, four bytes each.
std::unique_ptr<TokenStream> token_stream(const Tokenizer& tokenizer, std::string_view text);
// The tokens of a file of any bytes. For the kind byte they are read from the file when they are needed, so
// that it may be larger than the memory; for other kinds all are kept in memory.
// Error: not a regular file, empty, cannot be read; too long to be kept in memory (kMaxText in text_file.h).
std::unique_ptr<TokenStream> token_stream_of_file(const Tokenizer& tokenizer, const std::string& path);
// nanoGPT's .bin: numbers of 16 bits, the lower byte first, nothing else. Read when they are needed; then a
// token from `vocabulary` on is an Error that names its position. Error: also a size that is odd or 0.
std::unique_ptr<TokenStream> token_stream_of_bin(const std::string& path, int64_t vocabulary);

// One stream behind the other.
std::unique_ptr<TokenStream> joined(std::unique_ptr<const TokenStream> first,
                                    std::unique_ptr<const TokenStream> second);

// The largest token of a stream, which is read from front to back: the vocabulary has at least one more.
int64_t largest_token(const TokenStream& tokens);

}  // namespace glassgrad
