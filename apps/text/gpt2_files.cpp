// GPT-2's two files: vocab.json, an object of tokens and their ids; merges.txt, one pair per line, by rank.
// The tokens are in the byte alphabet.
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

// An object of tokens and their ids.
class Vocabulary : public JsonVisitor {
 public:
  explicit Vocabulary(const std::string& path) : path_(path) {}

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

 private:
  static constexpr uint64_t kNone = UINT64_MAX;

  void scalar(Place place, json& value) override {
    if (place.size() != 1) return;
    const bool is_id = value.is_number_unsigned();
    name(place[0], is_id ? value.get<uint64_t>() : kNone,
         is_id ? "" : visible(value.dump(-1, ' ', true).substr(0, kShown)));
  }
  void begin_object(Place place) override {
    if (place.empty()) is_object_ = true;
    if (place.size() == 1) name(place[0], kNone, "an object");
  }
  void begin_list(Place place) override {
    if (place.size() == 1) name(place[0], kNone, "a list");
  }
  void name(const std::string& token, uint64_t id, const std::string& what) {
    if (id == kNone && no_id_.empty()) no_id_ = what;
    named_.emplace_back(token, id);
  }

  const std::string& path_;
  bool is_object_ = false;
  std::vector<std::pair<std::string, uint64_t>> named_;
  std::string no_id_;  // the first value that is no id
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

}  // namespace glassgrad
