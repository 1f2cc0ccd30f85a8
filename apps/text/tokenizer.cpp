#include "tokenizer.h"

#include <limits>
#include <nlohmann/json.hpp>

#include "apps/cli/arguments.h"
#include "apps/cli/parse_json.h"
#include "bpe.h"
#include "byte_alphabet.h"
#include "engine/core/error.h"
#include "piece_tokenizer.h"
#include "visible.h"

namespace glassgrad {
namespace {

using nlohmann::json;

// Member `name` as a list of texts.
std::vector<std::string> texts(const json& description, const char* name, std::string_view where) {
  const auto found = description.find(name);
  check<ValueError>(found != description.end() && found->is_array(), "{}: has no list \"{}\"", where, name);
  std::vector<std::string> list;
  for (const json& item : *found) {
    check<ValueError>(item.is_string(), "{}: \"{}\": item {} is no text", where, name, list.size());
    list.push_back(item.get<std::string>());
  }
  return list;
}

std::vector<std::string> tokens_of(const json& description, std::string_view where) {
  std::vector<std::string> tokens = texts(description, "tokens", where);
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = from_byte_alphabet(tokens[i], fmt::format("{}: token {}", where, i));
  return tokens;
}

}  // namespace

Tokenizer::Tokenizer(std::vector<std::string> tokens, std::string_view where) : tokens_(std::move(tokens)) {
  check<ValueError>(tokens_.size() <= size_t(std::numeric_limits<int32_t>::max()),
                    "{}: a vocabulary of {} tokens is too large", where, tokens_.size());
  for (size_t i = 0; i < tokens_.size(); ++i) {
    check<ValueError>(!tokens_[i].empty(), "{}: token {} is empty", where, i);
    const auto [same, added] = ids_.emplace(tokens_[i], int32_t(i));
    check<ValueError>(added, "{}: '{}' is both token {} and token {}", where, visible(tokens_[i]),
                      same->second, i);
  }
  for (size_t byte = 0; byte < 256; ++byte) {
    const auto found = ids_.find(std::string(1, char(byte)));
    check<ValueError>(found != ids_.end(), "{}: no token stands for byte {} alone; all 256 are needed", where,
                      byte);
    byte_ids_[byte] = found->second;
  }
}

std::string Tokenizer::decode(std::span<const int64_t> ids) const {
  std::string text;
  for (size_t i = 0; i < ids.size(); ++i) {
    check<IndexError>(ids[i] >= 0 && ids[i] < size(),
                      "token {} at position {} is not in the vocabulary, which has the ids 0 to {}", ids[i],
                      i, size() - 1);
    text += tokens_[size_t(ids[i])];
  }
  return text;
}

const std::string& Tokenizer::token(int64_t id) const {
  check<IndexError>(id >= 0 && id < size(), "token {} is not in the vocabulary, which has the ids 0 to {}",
                    id, size() - 1);
  return tokens_[size_t(id)];
}

std::string Tokenizer::token_text(int64_t id) const { return visible(token(id)); }

int64_t Tokenizer::id_of(std::string_view token) const {
  const auto found = ids_.find(token);
  return found == ids_.end() ? -1 : found->second;
}

std::string Tokenizer::to_json() const {
  json description = {{"kind", kind()}};
  describe(description);
  return description.dump();
}

std::unique_ptr<Tokenizer> make_tokenizer(std::string_view kind, std::string_view training_text,
                                          int64_t vocabulary) {
  if (kind == "byte") return byte_tokenizer();
  if (kind == "char") return char_tokenizer(training_text);
  if (kind == "word") return word_tokenizer(training_text);
  check<UsageError>(kind == "bpe", "there is no tokenizer '{}'; take byte, char, word or bpe", visible(kind));
  return bpe_tokenizer(training_text, vocabulary);
}

std::unique_ptr<Tokenizer> tokenizer_from_json(std::string_view text, std::string_view where) {
  const json description = parse_json(text);
  check<ValueError>(description.is_object(), "{}: is no description of a tokenizer in JSON", where);
  const auto named = description.find("kind");
  check<ValueError>(named != description.end() && named->is_string(), "{}: does not name its kind", where);
  const std::string kind = named->get<std::string>();
  if (kind == "byte") return byte_tokenizer();
  check<ValueError>(kind == "char" || kind == "word" || kind == "bpe",
                    "{}: kind '{}' is none of byte, char, word, bpe", where, visible(kind));
  std::vector<std::string> tokens = tokens_of(description, where);
  if (kind == "bpe") {
    auto bpe = std::make_unique<BpeTokenizer>(std::move(tokens), where);
    for (const std::string& pair : texts(description, "merges", where)) bpe->add_merge(pair, where);
    return bpe;
  }
  return std::make_unique<PieceTokenizer>(kind == "char" ? kCharPieces : kWordPieces, std::move(tokens),
                                          where);
}

}  // namespace glassgrad
