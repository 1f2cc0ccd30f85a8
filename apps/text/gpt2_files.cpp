// GPT-2's two files: vocab.json, an object of tokens and their ids; merges.txt, a pair a line by rank. The
// tokens stand in the byte alphabet.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "apps/cli/parse_json.h"
#include "bpe.h"
#include "byte_alphabet.h"
#include "engine/core/error.h"
#include "text_file.h"
#include "visible.h"

namespace glassgrad {
namespace {

using nlohmann::json;

json parsed(const std::string& path, const std::string& text) {
  std::set<std::string> names;
  // A name that stands twice would silently count once.
  const auto refuse_twins = [&](int depth, json::parse_event_t event, json& value) {
    check<ValueError>(depth <= kDeepestJson, "{}: must be an object of tokens and their ids", path);
    if (event == json::parse_event_t::key)
      check<ValueError>(names.insert(value.get<std::string>()).second, "{}: the token '{}' stands twice",
                        path, visible(value.get_ref<const std::string&>()));
    return true;
  };
  try {
    return json::parse(text, refuse_twins);
  } catch (const json::parse_error& e) {
    const size_t at = std::min(e.byte, text.size());
    const auto line = std::count(text.begin(), text.begin() + std::ptrdiff_t(at), '\n') + 1;
    fail<ValueError>("{}: line {}: is no valid JSON at byte {} of the file", path, line, e.byte);
  } catch (const json::out_of_range&) {
    fail<ValueError>("{}: holds a number that is too large for an id", path);
  }
}

std::vector<std::string> read_vocabulary(const std::string& path) {
  const json vocabulary = parsed(path, read_text(path));
  check<ValueError>(vocabulary.is_object(), "{}: must be an object of tokens and their ids", path);
  std::vector<std::string> tokens(vocabulary.size());
  for (const auto& [name, id] : vocabulary.items()) {
    check<ValueError>(id.is_number_unsigned() && id.get<uint64_t>() < tokens.size(),
                      "{}: the id of '{}' is {}; {} tokens have the ids 0 to {}, without a gap", path,
                      visible(name), visible(id.dump(-1, ' ', true).substr(0, 40)), tokens.size(),
                      tokens.size() - 1);
    std::string& token = tokens[id.get<size_t>()];
    check<ValueError>(token.empty() && !name.empty(), "{}: '{}' has no token or an id that is taken, {}",
                      path, visible(name), id.get<uint64_t>());
    token = from_byte_alphabet(name, path);
  }
  return tokens;
}

}  // namespace

std::unique_ptr<Tokenizer> load_gpt2_tokenizer(const std::string& vocab_json, const std::string& merges_txt) {
  auto bpe = std::make_unique<BpeTokenizer>(read_vocabulary(vocab_json), vocab_json);
  const std::string text = read_text(merges_txt);
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
