#include "tokenizer.h"

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "apps/cli/arguments.h"
#include "apps/cli/parse_json.h"
#include "bpe.h"
#include "byte_alphabet.h"
#include "engine/io/file.h"
#include "split_tokenizer.h"
#include "visible.h"

namespace glassgrad {
namespace {

using nlohmann::json;

// The description that to_json writes: a kind, and lists of texts.
class Description : public JsonVisitor {
 public:
  using Texts = std::vector<std::string>;
  explicit Description(std::string_view where) : where_(where) {}

  const std::string& kind() const {
    check<ValueError>(kind_.has_value(), "{}: does not name its kind", where_);
    return *kind_;
  }
  Texts take(const char* name) {
    const auto found = lists_.find(name);
    check<ValueError>(found != lists_.end(), "{}: has no list \"{}\"", where_, name);
    return std::move(found->second);
  }
  bool is_object() const { return is_object_; }

 private:
  void begin_object(Place place) override {
    is_object_ = is_object_ || place.empty();
    json none;
    scalar(place, none);
  }
  void begin_list(Place place) override {
    if (place.size() == 1 && (place[0] == "tokens" || place[0] == "merges")) lists_[place[0]];
    if (place.size() == 2) begin_object(place);
  }
  void scalar(Place place, json& value) override {
    if (place.size() == 1 && place[0] == "kind" && value.is_string()) kind_ = value.get<std::string>();
    const auto list = place.size() == 2 && place[1].empty() ? lists_.find(place[0]) : lists_.end();
    if (list == lists_.end()) return;
    Texts& texts = list->second;
    check<ValueError>(value.is_string(), "{}: \"{}\": item {} is no text", where_, place[0], texts.size());
    texts.push_back(std::move(value.get_ref<std::string&>()));
  }

  std::string_view where_;
  bool is_object_ = false;
  std::optional<std::string> kind_;
  std::map<std::string, Texts, std::less<>> lists_;
};

}  // namespace

Tokenizer::Tokenizer(std::vector<std::string> tokens, std::string_view where) : tokens_(std::move(tokens)) {
  check<ValueError>(tokens_.size() <= kMostTokens,
                    "{}: a vocabulary of {} tokens is too large: at most {}, which bpe keeps to", where,
                    tokens_.size(), kMostTokens);
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
  check<UsageError>(kind == "bpe", "there is no tokenizer '{}'; take byte, char, word or bpe", excerpt(kind));
  return bpe_tokenizer(training_text, vocabulary);
}

std::unique_ptr<Tokenizer> tokenizer_from_json(std::string_view text, std::string_view where) {
  Description description(where);
  const std::string problem = read_json(text, description, 2 * kMostTokens);
  check<ValueError>(problem.empty(), "{}: the tokenizer's description {}", where, problem);
  check<ValueError>(description.is_object(), "{}: is no description of a tokenizer in JSON", where);
  const std::string& kind = description.kind();
  if (kind == "byte") return byte_tokenizer();
  check<ValueError>(kind == "char" || kind == "word" || kind == "bpe",
                    "{}: kind '{}' is none of byte, char, word, bpe", where, excerpt(kind));
  std::vector<std::string> tokens = description.take("tokens");
  for (size_t i = 0; i < tokens.size(); ++i)
    tokens[i] = from_byte_alphabet(tokens[i], fmt::format("{}: token {}", where, i));
  if (kind == "bpe") {
    auto bpe = std::make_unique<BpeTokenizer>(std::move(tokens), where);
    for (const std::string& pair : description.take("merges")) bpe->add_merge(pair, where);
    return bpe;
  }
  return std::make_unique<SplitTokenizer>(kind == "char" ? kCharSplit : kWordSplit, std::move(tokens), where);
}

}  // namespace glassgrad
