#include "apps/learn/lesson_options.h"

namespace glassgrad::learn {
namespace {

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
std::string typed(const std::string& flag, std::string_view value) {
  std::string quoted = "'";
  for (const char c : value) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  quoted += "'";
  const bool plain = quoted.find_first_of(" \"`$&|;<>()*?[]#~!\\") == quoted.npos && quoted.size() > 2;
  return fmt::format(" {} {}", flag, plain ? std::string(value) : quoted);
}

}  // namespace

LessonOptions::LessonOptions(CLI::App& app) {
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
  constexpr const char* kGroup = "What to change";
  for (CLI::Option* o : parameters_) o->group(kGroup);
  for (CLI::Option* o : {inputs_, weights_, tokens_}) o->group(kGroup);
}

Settings LessonOptions::settings(const Lesson& lesson) const {
  std::vector<Settings::Given> changes;
  for (const CLI::Option* parameter : parameters_)
    if (const auto text = given(parameter)) changes.push_back({parameter->get_name(), *text});
  Settings settings(lesson, changes);
  if (const auto path = given(inputs_)) settings.load_inputs(*path);
  for (const std::string& assignment : weights_->results()) settings.load_weights(assignment);
  if (const auto names = given(tokens_)) settings.name_tokens(*names);
  return settings;
}

Recording LessonOptions::open(const Lesson& lesson, Keep keep) const {
  const Settings with = settings(lesson);
  lesson.check(with);
  Recording recording = record(lesson, with, keep);
  recording.flags = as_typed();
  return recording;
}

std::string LessonOptions::as_typed() const {
  std::vector<const CLI::Option*> options(parameters_.begin(), parameters_.end());
  options.insert(options.end(), {inputs_, weights_, tokens_});
  std::string text;
  for (const CLI::Option* option : options)
    for (const std::string& value : option->results()) text += typed(option->get_name(), value);
  return text;
}

}  // namespace glassgrad::learn
