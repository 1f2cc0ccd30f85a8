#include "apps/page/lesson_page.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/lesson/document.h"
#include "apps/lesson/glossary.h"
#include "apps/lesson/lesson.h"
#include "apps/page/cell_data.h"
#include "apps/page/document.h"
#include "apps/page/embedded.h"
#include "apps/page/onward.h"
#include "apps/page/picture_data.h"
#include "apps/page/plain.h"
#include "apps/page/questions_data.h"
#include "apps/show/render.h"
#include "engine/core/error.h"

namespace glassgrad::explorer {
namespace {

using learn::Entry, learn::Recording, learn::Step;

constexpr size_t kMostBytesOfCells = 1'000'000;

// Opened numbers by address, up to a total size in bytes.
class Stored {
 public:
  Stored(const Run& run, size_t bytes) : cells_(run), most_cells_(run.most_cells), bytes_(bytes) {}

  // Returns false if the bytes do not suffice.
  bool add(const Recording& side) {
    for (const Step& step : side.steps)
      for (const Entry& entry : step.entries)
        if (entry.value && entry.value->numel() <= most_cells_ && !add(step, entry)) return false;
    return true;
  }
  Json take() { return std::move(list_); }

 private:
  bool add(const Step& step, const Entry& entry) {
    for (int64_t i = 0; i < entry.value->shape().numel(); ++i) {
      const learn::Address address{&step, &entry, index_of(entry.value->shape(), i)};
      const std::string name = learn::to_text(address);
      Json cell = cells_.of(address);
      const size_t size = json_in_markup(cell).size() + name.size() + 4;  // quotes, colon, comma
      if (size > bytes_) return false;
      bytes_ -= size;
      list_[name] = std::move(cell);
    }
    return true;
  }

  CellJson cells_;
  int64_t most_cells_;
  size_t bytes_;
  Json list_ = Json::object();
};

std::string mega(size_t bytes) { return fmt::format("{:.1f} MB", double(bytes) / 1e6); }

// The glossary's terms that the steps use, with their meaning, and the terms of each step.
Json glossary_json(const Recording& forward) {
  Json terms = Json::object(), steps = Json::object();
  for (const Step& step : forward.steps) {
    Json names = Json::array();
    for (const learn::GlossaryTerm* term : learn::terms_of(forward, step)) {
      names.push_back(term->anchor);
      if (terms.contains(term->anchor)) continue;
      Json paragraphs = Json::array();
      for (std::string& part : learn::plain_paragraphs(term->text)) paragraphs.push_back(std::move(part));
      terms[term->anchor] = {{"title", learn::plain_words(term->title)}, {"text", std::move(paragraphs)}};
    }
    if (!names.empty()) steps[step.id] = std::move(names);
  }
  return {{"terms", std::move(terms)}, {"steps", std::move(steps)}};
}

// Returns advice on how to make the run smaller, from the flags that were given.
std::string sizes_given(const Run& run) {
  std::string flags;
  if (run.forward.lesson->run_by) return "a part of it, with --from and --to or --keep";
  if (!run.settings) return "a shorter --text";
  for (const learn::SettingSpec& p : run.forward.lesson->setting_specs)
    if (p.kind == learn::SettingSpec::Kind::Integer && run.settings->was_given(p.flag))
      flags += fmt::format("{}a smaller {}", flags.empty() ? "" : " or ", p.flag);
  const auto& names = run.settings->tokens;
  if (std::any_of(names.begin(), names.end(), [](const std::string& name) { return name.size() > 100; }))
    flags += fmt::format("{}shorter --tokens", flags.empty() ? "" : " or ");
  if (run.settings->own_inputs) flags += fmt::format("{}smaller --inputs", flags.empty() ? "" : " or ");
  return flags.empty() ? "one of its smaller sizes" : flags;
}

}  // namespace

// A program's run with more steps than this never fits into a page.
constexpr size_t kMostSteps = 3000;

std::string lesson_page(const Run& given, bool in_site) {
  Run run = given;
  const Recording& forward = run.forward;
  check(forward.steps.size() <= kMostSteps,
        "{} is too large for a page: it would have {} steps, and the most is {}: give {}",
        learn::command_of(forward), forward.steps.size(), kMostSteps, sizes_given(run));
  const learn::Document* const file = forward.lesson->document;
  const bool has_engine = run.settings && file && !engine_wasm().empty();
  const Json picture = picture_json(forward), glossary = glossary_json(forward),
             // no questions about a program of the reader's own
      questions = forward.lesson->run_by ? Json::array() : questions_json(forward);
  const Json onward = forward.lesson->run_by
                          ? Json()
                          : onward_json(forward.lesson->own_file ? "" : forward.lesson->id, in_site);
  const auto data = [&] {
    Json json = data_json(run);
    json["picture"] = picture;
    json["questions"] = questions;
    json["glossary"] = glossary;
    json["onward"] = onward;
    if (has_engine)
      json["file"] = {
          {"name", file->file}, {"text", file->written}, {"own", forward.lesson->own_file != nullptr}};
    return json;
  };
  PageParts parts{.title = fmt::format("{}: {}", forward.lesson->id, forward.lesson->source),
                  .kind = "lesson",
                  .plain = plain_lesson(forward),
                  .data = data(),
                  .engine = false};
  size_t size = html_page(parts).size();
  for (const int64_t fewer : {300, 200, 100}) {
    if (size <= kMostPageBytes) break;
    run.most_cells = fewer;
    parts.data = data();
    size = html_page(parts).size();
  }
  check(size <= kMostPageBytes, "{} is too large for a page: it would have {}, and the most is {}: give {}",
        learn::command_of(forward), mega(size), mega(kMostPageBytes), sizes_given(run));
  if (!has_engine) {
    Stored cells(run, std::min(kMostBytesOfCells, kMostPageBytes - size));
    if (cells.add(forward) && run.backward) cells.add(*run.backward);
    parts.data["cells"] = cells.take();
  }
  parts.engine = has_engine;
  return html_page(parts);
}

}  // namespace glassgrad::explorer
