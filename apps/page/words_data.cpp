#include "apps/page/words_data.h"

#include "apps/lesson/markdown.h"

namespace glassgrad::explorer {

Json words_json(std::string_view markdown) {
  constexpr const char* kKinds[] = {"", "term", "bold", "code"};
  Json words = Json::array();
  for (const learn::MarkedWords& w : learn::split_markdown(markdown)) {
    if (w.kind == learn::MarkedWords::Plain)
      words.push_back(w.text);
    else
      words.push_back({{kKinds[w.kind], w.text}});
  }
  return words;
}

}  // namespace glassgrad::explorer
