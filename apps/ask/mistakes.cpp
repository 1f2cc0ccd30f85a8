#include "apps/ask/mistakes.h"

#include <fmt/core.h>

#include "apps/cli/arguments.h"
#include "apps/lesson/markdown.h"
#include "apps/lesson/settings.h"
#include "engine/core/joined.h"

namespace glassgrad::learn {
namespace {

// Returns settings of `to` with the flags, inputs and tokens that were given for `from`.
Settings transfer_settings(const Lesson& to, const Lesson& from, const Settings& settings) {
  const Settings defaults(to, {});
  const auto is_given = [&](std::string_view flag) { return settings.has(flag) && settings.was_given(flag); };
  std::vector<Settings::GivenFlag> given;
  for (const SettingSpec& p : from.setting_specs)
    if (defaults.has(p.flag) && is_given(p.flag)) given.push_back({p.flag, settings.text(p.flag)});
  // If only the number of heads is given, keep the width of a head.
  if (is_given("--heads") && defaults.has("--d-out") && !is_given("--d-out"))
    given.push_back({"--d-out", std::to_string(settings.count("--heads") * defaults.count("--d-out") /
                                               defaults.count("--heads"))});
  Settings made(to, given);
  const Tensor& x = settings.inputs;
  if (!made.inputs || !x || x.dim() < 2 || x.dim() > 3 || !is_floating(x.dtype()) || x.numel() == 0)
    return made;
  made.take_inputs(x.dim() == 3 ? x[0] : x, from.id);
  made.tokens = settings.tokens;
  return made;
}

}  // namespace

std::string ClassicMistake::what() const { return plain_words(step->mistake().wrong->mistake); }

std::vector<ClassicMistake> classic_mistakes() {
  std::vector<ClassicMistake> all;
  for (const Lesson* lesson : lessons())
    for (const DocumentStep& step : lesson->document->steps)
      if (step.mistake().wrong) all.push_back({lesson, &step});
  return all;
}

ClassicMistake find_mistake(std::string_view name) {
  std::vector<std::string> names;
  for (const ClassicMistake& m : classic_mistakes()) {
    if (m.name() == name) return m;
    names.push_back(m.name());
  }
  fail<UsageError>("--bug has no '{}': did you mean {}? There are {}; --bug list says what they are", name,
                   nearest(name, names), joined(names, ", "));
}

MistakeShown show_mistake(const ClassicMistake& mistake, const Lesson& given, const Settings& settings) {
  const bool own = mistake.lesson == &given;
  const Settings now = own ? settings : transfer_settings(*mistake.lesson, given, settings);
  MistakeShown shown{record(*mistake.lesson, now), {}};
  for (const Step& step : shown.recording.steps) {
    const DocumentStep& told = *mistake.lesson->document->step(step.id);
    if (&told == mistake.step || !told.mistake().wrong) shown.steps.push_back(step);
    if (&told == mistake.step) break;
  }
  if (own || !now.own_inputs) return shown;
  Step& last = shown.steps.back();
  last.sentences.insert(last.sentences.begin(),
                        fmt::format("Here are the inputs of [{0}]({0}.md).", given.id));
  if (last.lead != Step::kAll) ++last.lead;
  return shown;
}

}  // namespace glassgrad::learn
