// GPT-2's two files: vocab.json, an object of tokens and their ids; merges.txt, one pair per line, by rank.
// And tokenizer.json, in which Hugging Face's tokenizers keep both. The tokens are in the byte alphabet.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

#include "apps/cli/parse_json.h"
#include "bpe.h"
#include "byte_alphabet.h"
#include "engine/core/error.h"
#include "text_file.h"
#include "visible.h"

namespace glassgrad {
namespace {

using nlohmann::json;

constexpr size_t kShown = 40;  // bytes of a name that an error quotes

// The object of tokens and their ids that lies at this place of a file.
class Vocabulary : public JsonVisitor {
 public:
  explicit Vocabulary(const std::string& path, std::vector<std::string> at = {})
      : path_(path), at_(std::move(at)) {}

  // Returns the bytes of the tokens, by id.
  std::vector<std::string> tokens() const {
    check<ValueError>(is_object_, "{}: must be an object of tokens and their ids", path_);
    std::vector<std::string> tokens(named_.size());
    for (const auto& [name, id] : named_) {
      check<ValueError>(id < tokens.size(),
                        "{}: the id of '{}' is {}; {} tokens have the ids 0 to {}, without a gap", path_,
                        visible(std::string_view(name).substr(0, kShown)),
                        id == kNone ? no_id_ : std::to_string(id), tokens.size(), tokens.size() - 1);
      std::string& token = tokens[id];
      check<ValueError>(token.empty() && !name.empty(), "{}: '{}' has no token or an id that is taken, {}",
                        path_, visible(std::string_view(name).substr(0, kShown)), id);
      token = from_byte_alphabet(name, path_);
    }
    return tokens;
  }

 protected:
  static constexpr uint64_t kNone = UINT64_MAX;

  void scalar(Place place, json& value) override {
    if (!is_inside(place)) return;
    const bool is_id = value.is_number_unsigned();
    name(place.back(), is_id ? value.get<uint64_t>() : kNone,
         is_id ? "" : visible(value.dump(-1, ' ', true).substr(0, kShown)));
  }
  void begin_object(Place place) override {
    if (std::ranges::equal(place, at_)) is_object_ = true;
    if (is_inside(place)) name(place.back(), kNone, "an object");
  }
  void begin_list(Place place) override {
    if (is_inside(place)) name(place.back(), kNone, "a list");
  }
  bool is_inside(Place place) const {
    return place.size() == at_.size() + 1 && std::ranges::equal(place.first(at_.size()), at_);
  }
  void name(const std::string& token, uint64_t id, const std::string& what) {
    if (id == kNone && no_id_.empty()) no_id_ = what;
    named_.emplace_back(token, id);
  }

  const std::string& path_;
  std::vector<std::string> at_;
  bool is_object_ = false;
  std::vector<std::pair<std::string, uint64_t>> named_;
  std::string no_id_;  // the first value that is no id
};

// A tokenizer.json: its vocabulary, the merges as texts or as pairs, and tokens that were added.
class TokenizerFile : public Vocabulary {
 public:
  explicit TokenizerFile(const std::string& path) : Vocabulary(path, {"model", "vocab"}) {}

  const std::vector<std::string>& merges() const { return merges_; }
  // Throws ValueError for a kind of tokenizer that is not GPT-2's. Names the added tokens that the vocabulary
  // lacks.
  void finish() {
    check<ValueError>(kind_ == "BPE" && is_of_bytes_,
                      "{}: GPT-2's kind of tokenizer is read, a BPE of bytes (ByteLevel); this is {}", path_,
                      kind_.empty() ? "none" : visible(kind_.substr(0, kShown)));
    for (const auto& added : added_)
      if (std::ranges::none_of(named_, [&](const auto& known) { return known.first == added.first; }))
        name(added.first, added.second, "");
  }

 private:
  void scalar(Place place, json& value) override {
    constexpr std::string_view kMerge[] = {"model", "merges", ""}, kPart[] = {"model", "merges", "", ""};
    constexpr std::string_view kKind[] = {"model", "type"}, kAdded[] = {"added_tokens", ""};
    const bool is_text = value.is_string();
    if (is_text && std::ranges::equal(place, kMerge)) {
      merges_.push_back(value.get<std::string>());
    } else if (is_text && std::ranges::equal(place, kPart)) {
      is_second_ = !is_second_;  // now true behind a first part
      if (is_second_)
        merges_.push_back(value.get<std::string>());
      else
        merges_.back() += " " + value.get<std::string>();
    } else if (is_text && std::ranges::equal(place, kKind)) {
      kind_ = value.get<std::string>();
    } else if (place.size() == 3 && std::ranges::equal(place.first(2), kAdded)) {
      if (place[2] == "content" && is_text) added_.back().first = value.get<std::string>();
      if (place[2] == "id" && value.is_number_unsigned()) added_.back().second = value.get<uint64_t>();
    } else if (is_text && place.back() == "type" && value == "ByteLevel") {
      is_of_bytes_ = true;
    } else {
      Vocabulary::scalar(place, value);
    }
  }
  void begin_object(Place place) override {
    if (place.size() == 2 && place[0] == "added_tokens") added_.emplace_back("", kNone);
    Vocabulary::begin_object(place);
  }

  std::vector<std::string> merges_;
  std::vector<std::pair<std::string, uint64_t>> added_;
  std::string kind_;
  bool is_second_ = false, is_of_bytes_ = false;
};

std::vector<std::string> read_vocabulary(const std::string& path) {
  Vocabulary vocabulary(path);
  const std::string problem =
      read_json(read_file(path, kMaxDescription), vocabulary, kMostTokens, kMostTokens);
  check<ValueError>(problem.empty(), "{}: {}", path, problem);
  return vocabulary.tokens();
}

}  // namespace

std::unique_ptr<Tokenizer> load_gpt2_tokenizer(const std::string& vocab_json, const std::string& merges_txt) {
  auto bpe = std::make_unique<BpeTokenizer>(read_vocabulary(vocab_json), vocab_json);
  const std::string text = read_file(merges_txt, kMaxDescription);
  int64_t number = 1;
  for (size_t at = 0; at < text.size(); ++number) {
    const size_t end = std::min(text.find('\n', at), text.size());
    std::string_view line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    if (line.empty() || (number == 1 && line.starts_with("#version"))) continue;
    bpe->add_merge(line, fmt::format("{}: line {}", merges_txt, number));
  }
  return bpe;
}

std::unique_ptr<Tokenizer> load_tokenizer_json(const std::string& path) {
  TokenizerFile file(path);
  const std::string problem =
      read_json(read_file(path, kMaxDescription), file, 8 * kMostTokens, kMostTokens + 1000);
  check<ValueError>(problem.empty(), "{}: {}", path, problem);
  file.finish();
  auto bpe = std::make_unique<BpeTokenizer>(file.tokens(), path);
  int64_t number = 0;
  for (const std::string& merge : file.merges())
    bpe->add_merge(merge, fmt::format("{}: merge {}", path, ++number));
  return bpe;
}

}  // namespace glassgrad
