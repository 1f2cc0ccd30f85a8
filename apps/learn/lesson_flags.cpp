#include "apps/learn/lesson_flags.h"

#include <fmt/format.h>

#include <algorithm>

namespace glassgrad::learn {
namespace {

constexpr const char* kToChange = "What to change";

// What the sources call a flag's value is accepted as well.
std::string names_of(const Parameter& p) {
  constexpr std::pair<std::string_view, const char*> kInSources[] = {
      {"--heads", "--num-heads"},
      {"--width", "--d-model,--token-emb-dim"},
      {"--context", "--context-length,--chunk-size"},
      {"--hidden", "--hidden-dim"},
      {"--vocab", "--vocab-size"},
  };
  for (const auto& [flag, names] : kInSources)
    if (flag == p.flag) return fmt::format("{},{}", p.flag, names);
  return p.flag;
}

// " --seed 7" or " --inputs 'my file.npy'".
std::string as_typed(const std::string& flag, std::string_view value) {
  std::string quoted = "'";
  for (const char c : value) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  quoted += "'";
  const bool plain = quoted.find_first_of(" \"`$&|;<>()*?[]#~!\\") == quoted.npos && quoted.size() > 2;
  return fmt::format(" {} {}", flag, plain ? std::string(value) : quoted);
}

}  // namespace

LessonFlags::LessonFlags(CLI::App& app) : app_(app) {
  for (const Lesson* lesson : lessons())
    for (const Parameter& p : lesson->parameters) {
      const std::string what = fmt::format("{} ({} {})", p.what, lesson->id, p.default_text);
      if (CLI::Option* known = app.get_option_no_throw(p.flag))
        known->description(known->get_description() + "\n" + what);
      else
        parameters_.push_back(add_value(app, names_of(p), "N", what));
    }
  inputs_ = add_value(app, "--inputs", "FILE", "Token vectors of your own, .npy or .csv: (tokens, features)");
  weights_ =
      add_value(app, "--weights", "NAME=FILE", "A weight matrix of your own, .npy or .csv; repeatable");
  weights_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  tokens_ = add_value(app, "--tokens", "a,b,c", "Names of the tokens");
  for (CLI::Option* o : parameters_) o->group(kToChange);
  for (CLI::Option* o : {inputs_, weights_, tokens_}) o->group(kToChange);
}

bool LessonFlags::any_given() const {
  const auto given = [](const CLI::Option* o) { return o->get_group() == kToChange && o->count() > 0; };
  const auto options = app_.get_options();
  return std::any_of(options.begin(), options.end(), given);
}

Recording LessonFlags::open(const Lesson& lesson, Keep keep) const {
  std::vector<Settings::Given> changes;
  for (const CLI::Option* parameter : parameters_)
    if (const auto text = given(parameter)) changes.push_back({parameter->get_name(), *text});
  Settings settings(lesson, changes);
  if (const auto path = given(inputs_)) settings.load_inputs(*path);
  for (const std::string& assignment : weights_->results()) settings.load_weights(assignment);
  if (const auto names = given(tokens_)) settings.name_tokens(*names);
  lesson.check(settings);
  Recording recording = record(lesson, settings, keep);
  for (const CLI::Option* option : app_.get_options())
    if (option->get_group() == kToChange)
      for (const std::string& value : option->results())
        recording.flags += as_typed(option->get_name(), value);
  return recording;
}

Recording open_as_it_is(const Lesson& lesson, Keep keep) {
  const Settings settings(lesson, {});
  lesson.check(settings);
  return record(lesson, settings, keep);
}

}  // namespace glassgrad::learn
