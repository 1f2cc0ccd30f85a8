#include "token_sequence.h"

#include <algorithm>
#include <vector>

#include "engine/core/error.h"
#include "text_file.h"
#include "tokenizer.h"

namespace glassgrad {
namespace {

class InMemory : public TokenSequence {
 public:
  explicit InMemory(const std::vector<int64_t>& ids) : ids_(ids.begin(), ids.end()) {}
  int64_t size() const override { return std::ssize(ids_); }
  void read(int64_t at, std::span<int64_t> to) const override {
    std::copy_n(ids_.begin() + at, to.size(), to.begin());
  }

 private:
  std::vector<int32_t> ids_;
};

class BytesOfFile : public TokenSequence {
 public:
  explicit BytesOfFile(const std::string& path) : file_(path) {
    check(file_.size() > 0, "{}: is empty; there is nothing to learn from", path);
  }
  int64_t size() const override { return static_cast<int64_t>(file_.size()); }
  void read(int64_t at, std::span<int64_t> to) const override {
    std::vector<unsigned char> bytes(to.size());
    file_.read(static_cast<uint64_t>(at), bytes.data(), bytes.size());
    std::copy(bytes.begin(), bytes.end(), to.begin());
  }

 private:
  RandomAccessFile file_;
};

class BinFile : public TokenSequence {
 public:
  BinFile(const std::string& path, int64_t vocabulary) : file_(path), vocabulary_(vocabulary) {
    check(file_.size() > 0, "{}: is empty; there is nothing to learn from", path);
    check(file_.size() % kItem == 0,
          "{}: has {} bytes, an odd number, but each token takes {}; is the file cut off, or a text?", path,
          file_.size(), kItem);
  }
  int64_t size() const override { return static_cast<int64_t>(file_.size() / kItem); }
  void read(int64_t at, std::span<int64_t> to) const override {
    std::vector<unsigned char> bytes(to.size() * kItem);
    file_.read(static_cast<uint64_t>(at) * kItem, bytes.data(), bytes.size());
    for (size_t i = 0; i < to.size(); ++i) {
      to[i] = bytes[kItem * i] | bytes[kItem * i + 1] << 8;
      check(to[i] < vocabulary_, "{}: token {} at position {} (byte {}) is outside the vocabulary of {}",
            file_.path(), to[i], at + int64_t(i), kItem * (uint64_t(at) + i), vocabulary_);
    }
  }

 private:
  static constexpr uint64_t kItem = 2;
  RandomAccessFile file_;
  int64_t vocabulary_;
};

class Joined : public TokenSequence {
 public:
  Joined(std::unique_ptr<const TokenSequence> first, std::unique_ptr<const TokenSequence> second)
      : first_(std::move(first)), second_(std::move(second)) {}
  int64_t size() const override { return first_->size() + second_->size(); }
  void read(int64_t at, std::span<int64_t> to) const override {
    const auto before = static_cast<size_t>(std::clamp<int64_t>(first_->size() - at, 0, std::ssize(to)));
    if (before > 0) first_->read(at, to.first(before));
    if (before < to.size()) second_->read(at + int64_t(before) - first_->size(), to.subspan(before));
  }

 private:
  std::unique_ptr<const TokenSequence> first_, second_;
};

}  // namespace

std::unique_ptr<TokenSequence> token_sequence(const Tokenizer& tokenizer, std::string_view text) {
  return std::make_unique<InMemory>(tokenizer.encode(text));
}

std::unique_ptr<TokenSequence> token_sequence_of_file(const Tokenizer& tokenizer, const std::string& path) {
  if (tokenizer.kind() == "byte") return std::make_unique<BytesOfFile>(path);
  const std::string text = read_text(path);
  check(!text.empty(), "{}: is empty; there is nothing to learn from", path);
  return token_sequence(tokenizer, text);
}

std::unique_ptr<TokenSequence> token_sequence_of_bin(const std::string& path, int64_t vocabulary) {
  return std::make_unique<BinFile>(path, vocabulary);
}

std::unique_ptr<TokenSequence> joined(std::unique_ptr<const TokenSequence> first,
                                      std::unique_ptr<const TokenSequence> second) {
  return std::make_unique<Joined>(std::move(first), std::move(second));
}

int64_t largest_token(const TokenSequence& tokens) {
  constexpr int64_t kBlock = 1 << 16;
  std::vector<int64_t> block;
  int64_t largest = -1;
  for (int64_t at = 0; at < tokens.size(); at += kBlock) {
    block.resize(static_cast<size_t>(std::min(kBlock, tokens.size() - at)));
    tokens.read(at, block);
    largest = std::max(largest, *std::max_element(block.begin(), block.end()));
  }
  return largest;
}

}  // namespace glassgrad
