#include "apps/page/words_data.h"

#include "apps/lesson/markdown.h"

namespace glassgrad::explorer {

Json words_json(std::string_view markdown) {
  constexpr const char* kKinds[] = {"plain", "term", "bold", "code"};
  Json words = Json::array();
  for (const learn::MarkedWords& w : learn::split_markdown(markdown)) {
    if (w.kind == learn::MarkedWords::Plain && w.link.empty()) {
      words.push_back(w.text);
      continue;
    }
    Json marked = {{kKinds[w.kind], w.text}};
    if (!w.link.empty()) marked["link"] = w.link;
    words.push_back(std::move(marked));
  }
  return words;
}

Json words_json(std::span<const std::string> sentences) {
  Json all = Json::array();
  for (const std::string& sentence : sentences) all.push_back(words_json(sentence));
  return all;
}

}  // namespace glassgrad::explorer
