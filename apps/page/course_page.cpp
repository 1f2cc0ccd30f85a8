#include "apps/page/course_page.h"

#include <fmt/core.h>

#include "apps/cli/json_number.h"
#include "apps/exercise/verdict.h"
#include "apps/lesson/markdown.h"
#include "apps/page/document.h"
#include "apps/page/embedded.h"
#include "apps/page/onward.h"
#include "apps/page/words_data.h"

namespace glassgrad::explorer {
namespace {

using exercise::Course, exercise::Exercise;

// [{"text": "queries (6, 2)", "values": "tensor([[…]])"}, …]
Json given_json(const Course& course, const Exercise& e, uint64_t seed) {
  Json all = Json::array();
  for (exercise::AvailableValue& one : exercise::available_values(course, e, seed)) {
    Json json = {{"text", std::move(one.text)}};
    if (!one.values.empty()) json["values"] = std::move(one.values);
    all.push_back(std::move(json));
  }
  return all;
}

Json exercise_json(const Course& course, const Exercise& e, uint64_t seed) {
  return {{"id", e.id},
          {"title", e.title},
          {"prose", words_json(e.prose)},
          {"given", given_json(course, e, seed)},
          {"before", e.before},
          {"indent", e.indent},
          {"solution", e.solution},
          {"after", e.after},
          {"hints", words_json(e.hints)}};
}

// The exercises with their blanks, for readers without scripts.
std::string plain_course(const Course& course) {
  const auto element = [](const char* tag, const std::string& text) {
    return fmt::format("<{0}>{1}</{0}>\n", tag, escaped(text));
  };
  std::string text = "<main class=\"plain\">\n" + element("h1", course.title) +
                     fmt::format("<p class=\"lead\">You will understand {}.</p>\n",
                                 escaped(learn::plain_words(course.understand)));
  text += fmt::format(
      "<noscript><p class=\"note\">This page checks your lines with scripts, which this browser does not run. In a "
      "terminal <code>glassgrad build {}</code> does the same.</p></noscript>\n",
      escaped(course.id));
  for (const Exercise& e : course.exercises) {
    text += element("h2", fmt::format("{}. {}", course.index(e) + 1, e.title));
    for (const std::string& paragraph : e.prose) text += element("p", learn::plain_words(paragraph));
    const std::vector<std::string> blank{"..."};
    text += fmt::format("<pre class=\"code\">{}</pre>\n", escaped(exercise::text_of(e.with(blank))));
  }
  return text + "</main>\n";
}

}  // namespace

std::string course_page(const Course& course, uint64_t seed, bool in_site) {
  Json data{{"version", 1},
            {"kind", "course"},
            {"id", course.id},
            {"title", course.title},
            {"understand", words_json(course.understand)},
            {"minutes", course.minutes},
            {"seed", std::to_string(seed)},
            {"onward", onward_json("build." + course.id, in_site)},
            {"exercises", Json::array()}};
  for (const Exercise& e : course.exercises) data["exercises"].push_back(exercise_json(course, e, seed));
  if (!course.ending.empty())
    data["ending"] = {{"title", course.ending_title}, {"prose", words_json(course.ending_prose)}};
  const bool has_engine = !engine_wasm().empty();
  if (has_engine) data["file"] = {{"name", course.file}, {"text", course.written}};
  return html_page({.title = fmt::format("{} – glassgrad", course.title),
                    .kind = "course",
                    .plain = plain_course(course),
                    .data = std::move(data),
                    .engine = has_engine});
}

}  // namespace glassgrad::explorer
