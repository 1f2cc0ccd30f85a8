#include "apps/page/document.h"

#include <fmt/core.h>

#include <algorithm>
#include <span>

#include "apps/cli/text_width.h"
#include "apps/page/bytes_as_text.h"
#include "apps/page/embedded.h"
#include "apps/page/flags_data.h"
#include "engine/core/error.h"
#include "engine/io/file.h"

namespace glassgrad::explorer {
namespace {

// Content security policy: the page loads nothing, runs only its own scripts and styles, and may run
// WebAssembly, also in a Worker made of its own script.
constexpr const char* kPolicy =
    "default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline' 'wasm-unsafe-eval'; "
    "worker-src blob:; img-src data:";

// The files of assets/, in their order in the page.
struct Files {
  std::string_view kind;  // of the pages that include them; empty: all pages
  std::span<const char* const> names;
};
constexpr const char* kSharedStyles[] = {"theme.css",  "tables.css", "page.css",    "step.css", "panels.css",
                                         "motion.css", "map.css",    "picture.css", "print.css"};
constexpr const char* kHeadsStyles[] = {"heads.css"};
constexpr const char* kCourseStyles[] = {"course.css"};
constexpr Files kStyles[] = {
    {"", kSharedStyles}, {"training", kHeadsStyles}, {"inspect", kHeadsStyles}, {"course", kCourseStyles}};

constexpr const char* kSharedScripts[] = {"elements.js", "theme.js",   "address.js", "axes.js", "numbers.js",
                                          "heat.js",     "queries.js", "matrix.js",  "tabs.js", "chart.js",
                                          "tensor.js",   "slider.js",  "keys.js",    "find.js"};
constexpr const char* kLessonScripts[] = {
    "engine.js",  "lesson.js",  "contents.js", "map.js",   "changes.js",   "places.js",   "code.js",
    "words.js",   "onward.js",  "prose.js",    "step.js",  "player.js",    "flight.js",   "product.js",
    "softmax.js", "mask.js",    "cell.js",     "lines.js", "what_if.js",   "settings.js", "proof.js",
    "predict.js", "picture.js", "help.js",     "print.js", "computing.js", "frame.js",    "lesson_page.js"};
constexpr const char* kTrainingScripts[] = {"heads.js", "between.js", "inspect.js", "training.js"};
constexpr const char* kInspectScripts[] = {"engine.js",  "heads.js",   "between.js",
                                           "inspect.js", "reading.js", "touch.js"};
constexpr const char* kCourseScripts[] = {"engine.js",   "changes.js", "places.js",  "code.js",
                                          "help.js",     "onward.js",  "verdict.js", "course_lines.js",
                                          "exercise.js", "course.js"};
constexpr const char* kLastScripts[] = {"start.js"};
constexpr Files kScripts[] = {{"", kSharedScripts},           {"lesson", kLessonScripts},
                              {"training", kTrainingScripts}, {"inspect", kInspectScripts},
                              {"course", kCourseScripts},     {"", kLastScripts}};

std::string texts_of(std::span<const Files> all, std::string_view kind) {
  std::string text;
  for (const Files& files : all)
    if (files.kind.empty() || files.kind == kind)
      for (const char* name : files.names) text += page_file(name);
  return text;
}

}  // namespace

std::string escaped(std::string_view text) {
  constexpr std::pair<char, const char*> kEntities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
  std::string safe;
  while (!text.empty()) {
    const size_t end = text.find('\n');
    for (const char c : printable(text.substr(0, end))) {
      const auto* entity = std::ranges::find(kEntities, c, &std::pair<char, const char*>::first);
      if (entity != std::end(kEntities))
        safe += entity->second;
      else
        safe += c;
    }
    if (end == text.npos) break;
    safe += '\n';
    text.remove_prefix(end + 1);
  }
  return safe;
}

std::string json_in_markup(const Json& data) {
  std::string safe;
  const std::string text = json_text(data);
  safe.reserve(text.size());
  for (const char c : text) {
    if (c == '<')
      safe += "\\u003c";
    else
      safe += c;
  }
  return safe;
}

std::string html_page(const PageParts& parts) {
  const std::string wasm =
      parts.engine && !engine_wasm().empty()
          ? fmt::format("<script type=\"text/plain\" id=\"wasm\">{}</script>\n", text_of_bytes(engine_wasm()))
          : "";
  return fmt::format(
      "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"{}\">\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
      "<meta name=\"color-scheme\" content=\"light dark\">\n"
      "<title>{}</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>\n{}</style>\n</head>\n"
      "<body class=\"page-{}\">\n<div id=\"page\">\n{}</div>\n"
      "<script type=\"application/json\" id=\"data\">{}</script>\n{}"
      "<script>(() => {{\n'use strict';\n{}}})();</script>\n</body>\n</html>\n",
      kPolicy, escaped(parts.title), texts_of(kStyles, parts.kind), parts.kind, parts.plain,
      json_in_markup(parts.data), wasm, texts_of(kScripts, parts.kind));
}

void write_page(const std::string& path, const std::string& html, Output& out) {
  if (path == "-") return out.write(html);
  try {
    OutputFile file(path);
    file.write(html.data(), html.size());
    file.commit();
  } catch (const Error& e) {
    fail("{}; give --html a file in a folder that you may write, or - for the output", e.what());
  }
  out.write(fmt::format("{} is written: open it in a browser\n", printable(path)));
}

}  // namespace glassgrad::explorer
