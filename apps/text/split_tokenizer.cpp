#include "split_tokenizer.h"

#include <nlohmann/json.hpp>
#include <set>

#include "byte_alphabet.h"
#include "unicode.h"

namespace glassgrad {
namespace {

std::vector<std::string> with_all_bytes(std::vector<std::string> pieces) {
  std::array<bool, 256> present{};
  for (const std::string& piece : pieces)
    if (piece.size() == 1) present[static_cast<unsigned char>(piece[0])] = true;
  for (size_t byte = 0; byte < 256; ++byte)
    if (!present[byte]) pieces.emplace_back(1, char(byte));
  return pieces;
}

std::unique_ptr<Tokenizer> trained(SplitKind kind, std::string_view text) {
  std::set<std::string_view> pieces;
  for (size_t at = 0, end; at < text.size(); at = end) {
    end = kind.end(text, at);
    pieces.insert(text.substr(at, end - at));
  }
  return std::make_unique<SplitTokenizer>(kind, std::vector<std::string>(pieces.begin(), pieces.end()),
                                          "vocabulary");
}

}  // namespace

SplitTokenizer::SplitTokenizer(SplitKind kind, const std::vector<std::string>& pieces, std::string_view where)
    : Tokenizer(with_all_bytes(pieces), where), kind_(kind), pieces_(std::ssize(pieces)) {}

std::vector<int64_t> SplitTokenizer::encode(std::string_view text) const {
  std::vector<int64_t> ids;
  for (size_t at = 0, end; at < text.size(); at = end) {
    end = kind_.end(text, at);
    const std::string_view piece = text.substr(at, end - at);
    if (const int64_t id = id_of(piece); id >= 0)
      ids.push_back(id);
    else
      for (const char byte : piece) ids.push_back(id_of_byte(byte));
  }
  return ids;
}

std::vector<std::string> SplitTokenizer::unknown(std::string_view text) const {
  std::vector<std::string> missing;
  std::set<std::string_view> seen;
  if (kind_.end == byte_end) return missing;
  for (size_t at = 0, end; at < text.size(); at = end) {
    end = kind_.end(text, at);
    const std::string_view piece = text.substr(at, end - at);
    const int64_t id = id_of(piece);
    if ((id < 0 || id >= pieces_) && seen.insert(piece).second) missing.emplace_back(piece);
  }
  return missing;
}

void SplitTokenizer::describe(nlohmann::json& description) const {
  std::vector<std::string> pieces;
  for (int64_t id = 0; id < pieces_; ++id) pieces.push_back(to_byte_alphabet(token(id)));
  description["tokens"] = std::move(pieces);
}

std::unique_ptr<Tokenizer> byte_tokenizer() {
  return std::make_unique<SplitTokenizer>(kByteSplit, std::vector<std::string>(), "bytes");
}
std::unique_ptr<Tokenizer> char_tokenizer(std::string_view text) { return trained(kCharSplit, text); }
std::unique_ptr<Tokenizer> word_tokenizer(std::string_view text) { return trained(kWordSplit, text); }

}  // namespace glassgrad
