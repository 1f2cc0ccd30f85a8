#include "apps/page/lesson_data.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include "apps/ask/backward.h"
#include "apps/ask/run_map.h"
#include "apps/lesson/address.h"
#include "apps/lesson/difference.h"
#include "apps/lesson/lesson.h"
#include "apps/lesson/markdown.h"
#include "apps/page/flags_data.h"
#include "apps/page/words_data.h"
#include "apps/show/render.h"
#include "apps/show/render_json.h"
#include "apps/text/mathml.h"

namespace glassgrad::explorer {
namespace {

using learn::SettingSpec, learn::Recording, learn::Step;

constexpr int kVersion = 1;
constexpr int64_t kMostMultiplications = 200'000'000;  // a page runs up to this by itself: a second or two

// [{"first", "count", "whose", "inside", "raised", "line", "stands", "our_prints", "edited", "mistake"}]:
// which lines of "code" each block covers, and where the lesson's file has them (CodeBlock). The last four
// only where they are not empty. "edited": [[line, its text before], …].
Json blocks_json(const Step& step) {
  Json all = Json::array();
  for (const learn::CodeBlock& b : step.blocks()) {
    Json edited = Json::array();
    for (const auto& [k, was] : b.edited) edited.push_back({k, was});
    Json block = {{"first", b.first},   {"count", b.count},   {"whose", learn::whose_word(b.whose)},
                  {"inside", b.inside}, {"raised", b.raised}, {"line", b.line}};
    if (!b.function_lines.empty()) block["stands"] = b.function_lines;
    if (!b.our_prints.empty()) block["our_prints"] = b.our_prints;
    if (!edited.empty()) block["edited"] = std::move(edited);
    if (!b.mistake.empty()) block["mistake"] = learn::plain_words(b.mistake);
    all.push_back(std::move(block));
  }
  return all;
}

struct Mapped {
  explicit Mapped(const Recording& forward) : map(forward), flow(map, *forward.trace) {}
  learn::RunMap map;
  learn::DataFlow flow;
};

// {"whole", "here"}: the outermost node of the map that shows the step, and the nodes that computed it.
Json place_json(const learn::RunMap& map, const Step& step) {
  const std::optional<size_t> whole = map.whole_of(step);
  return {{"whole", whole ? Json(*whole) : Json()}, {"here", map.of(step)}};
}

// [{"name", "part_of", "times", "open"}]
Json map_json(const learn::RunMap& map) {
  Json all = Json::array();
  for (const learn::MapNode& s : map.nodes())
    all.push_back({{"name", s.name},
                   {"part_of", s.part_of ? Json(*s.part_of) : Json()},
                   {"times", s.times},
                   {"open", s.is_open}});
  return all;
}

// map: null for a side whose steps have no place on the map.
Json step_json(const Recording& recording, const Step& step, const Recording* other, TensorList& numbers,
               const Mapped* map = nullptr) {
  Json formulas = Json::array(), entries = Json::array();
  for (const learn::Formula& f : step.formulas)
    formulas.push_back({{"text", f.text}, {"latex", f.latex}, {"mathml", mathml_or_text(f.latex, f.text)}});
  for (const learn::Entry& entry : step.entries) {
    Json json = entry_json(recording, entry, numbers);
    if (entry.value) {
      const std::string there = other_side(step, entry, other);
      json["other"] = there.empty() ? Json() : Json(there);
      if (map && !map->map.empty()) {
        learn::DataFlow::Flow way = map->flow.of(entry);
        json["way"] = {{"from", std::move(way.from)}, {"to", std::move(way.to)}};
      }
    }
    entries.push_back(std::move(json));
  }
  Json json = {{"id", step.id},
               {"number", step.number},
               {"place", step.place()},
               {"inside", step.is_inside()},
               {"section", step.section},
               {"title", step.title},
               {"about", step.about},
               {"prose", words_json(step.sentences)},
               {"lead", step.said_before().size()},
               {"stated", step.stated},
               {"formulas", std::move(formulas)},
               {"code", step.code},
               {"blocks", blocks_json(step)},
               {"entries", std::move(entries)}};
  if (map && !map->map.empty()) json["map"] = place_json(map->map, step);
  return json;
}

Json steps_json(const Recording& recording, const Recording* other, TensorList& numbers,
                const Mapped* map = nullptr) {
  Json steps = Json::array();
  for (const Step& step : recording.steps) steps.push_back(step_json(recording, step, other, numbers, map));
  return steps;
}

// Returns "step:tensor" of the gradient that has the tensor's shape; empty if no step shows one.
std::string gradient_of(const Run& run, const Step& step, const learn::Entry& entry) {
  const std::string there = other_side(step, entry, run.backward);
  if (!there.empty() &&
      learn::find_tensor(*run.backward, there).entry->value->shape() == entry.value->shape())
    return there;
  const auto gradient = learn::gradient_of(run.forward, *entry.value);
  if (!gradient) return {};
  for (const Step& s : run.backward->steps)
    for (const learn::Entry& e : s.entries)
      if (e.value && same_elements(*e.value, gradient->value)) return fmt::format("{}:{}", s.id, e.name);
  return {};
}

void add_gradients(const Run& run, const Step& step, Json& json) {
  for (size_t i = 0; i < step.entries.size(); ++i)
    if (step.entries[i].value)
      if (std::string there = gradient_of(run, step, step.entries[i]); !there.empty())
        json["entries"][i]["gradient"] = std::move(there);
}

Json losses(const Recording& forward) {
  Json names = Json::array();
  for (const learn::BackwardPass& pass : forward.passes) names.push_back(pass.name);
  return names;
}

Json setting_json(const SettingSpec& p, const learn::Settings& settings) {
  Json json = {{"flag", p.flag},
               {"help", p.what},
               {"value", settings.text(p.flag)},
               {"default", p.default_text},
               {"kind", p.kind == SettingSpec::Kind::Real ? "number" : "integer"}};
  const auto bound = [&](double x) {
    return p.kind == SettingSpec::Kind::Real ? Json(x) : Json(static_cast<int64_t>(x));
  };
  if (p.low) json["least"] = bound(*p.low);
  if (p.high) json["most"] = bound(*p.high);
  return json;
}

Json settings_json(const Run& run) {
  Json list = Json::array();
  if (!run.settings) return list;
  for (const SettingSpec& p : run.forward.lesson->setting_specs)
    list.push_back(setting_json(p, *run.settings));
  if (!run.settings->inputs) return list;
  const learn::Settings plain(*run.forward.lesson, {});
  list.push_back({{"flag", "--tokens"},
                  {"help", "Names of the tokens"},
                  {"value", joined(run.settings->tokens, ",")},
                  {"default", joined(plain.tokens, ",")},
                  {"kind", "text"}});
  return list;
}

// Returns why the page does not run the lesson again by itself; empty if it does.
std::string heavy(const Recording& forward) {
  if (forward.multiplications <= kMostMultiplications) return {};
  return fmt::format("This run takes {:.1f} billion multiplications.", double(forward.multiplications) / 1e9);
}

Json differences(const Recording& forward) {
  if (!forward.differences) return {};
  Json json = learn::differences_json(*forward.differences);
  json["sentences"] = learn::differences_text(forward);
  return json;
}

}  // namespace

std::string other_side(const Step& step, const learn::Entry& entry, const Recording* other) {
  const Step* there = other ? learn::counterpart_step(step, *other, entry.name) : nullptr;
  const learn::Entry* tensor = there ? learn::counterpart_tensor(entry.name, *there) : nullptr;
  return tensor ? fmt::format("{}:{}", there->id, tensor->name) : "";
}

Json backward_json(const Recording& forward, const Recording& backward, int64_t most_cells) {
  TensorList numbers(nullptr, most_cells);
  Json steps = steps_json(backward, &forward, numbers);
  return {{"numbers", numbers.take()}, {"backward", std::move(steps)}, {"loss", losses(forward)}};
}

Json data_json(const Run& run) {
  const Recording& forward = run.forward;
  const learn::Lesson& lesson = *forward.lesson;
  TensorList numbers(run.text_cache, run.most_cells);
  Json json = {{"version", kVersion},
               {"kind", "lesson"},
               {"lesson",
                {{"id", lesson.id},
                 {"title", lesson.source},
                 {"understand", lesson.understand},
                 {"follows_source", lesson.sources == 1}}},
               {"command", learn::command_of(forward) + forward.edits},
               {"tokens", forward.tokens},
               {"settings", settings_json(run)},
               {"flags", run.settings ? flags_json(lesson, *run.settings) : Json()},
               {"set", run.set},
               {"most_cells", run.most_cells},
               {"heavy", heavy(forward)},
               {"multiplications", {forward.multiplications, forward.backward_multiplications}}};
  json["given"] = step_json(forward, forward.given, nullptr, numbers);
  const Mapped map(forward);
  json["map"] = map_json(map.map);
  json["forward"] = steps_json(forward, run.backward, numbers, &map);
  if (run.backward) {
    add_gradients(run, forward.given, json["given"]);
    for (size_t i = 0; i < forward.steps.size(); ++i)
      add_gradients(run, forward.steps[i], json["forward"][i]);
  }
  json["backward"] = run.backward ? steps_json(*run.backward, &forward, numbers) : Json::array();
  json["loss"] = losses(forward);
  json["no_loss"] = forward.no_loss;
  json["differences"] = differences(forward);
  json["numbers"] = numbers.take();
  json["picture"] = nullptr;
  json["questions"] = Json::array();
  json["cells"] = Json::object();
  return json;
}

}  // namespace glassgrad::explorer
