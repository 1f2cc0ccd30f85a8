#include "apps/ask/lesson_flags.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>

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

// What the flag changes, a line each: "Seed of all random numbers (gpt-attention 123, cat 123)".
std::string meanings_of(std::string_view flag) {
  std::vector<std::pair<std::string_view, std::string>> meanings;  // and the lessons with their defaults
  for (const Lesson* lesson : lessons())
    for (const Parameter& p : lesson->parameters) {
      if (p.flag != flag) continue;
      const std::string with_default = fmt::format("{} {}", lesson->id, p.default_text);
      const auto same = [&](const auto& meaning) { return meaning.first == p.what; };
      const auto known = std::find_if(meanings.begin(), meanings.end(), same);
      if (known == meanings.end())
        meanings.emplace_back(p.what, with_default);
      else
        known->second += ", " + with_default;
    }
  std::string lines;
  for (const auto& [what, where] : meanings)
    lines += fmt::format("{}{} ({})", lines.empty() ? "" : "\n", what, where);
  return lines;
}

}  // namespace

LessonFlags::LessonFlags(CLI::App& app) {
  for (const Lesson* lesson : lessons())
    for (const Parameter& p : lesson->parameters)
      if (!app.get_option_no_throw(p.flag))
        parameters_.push_back(add_value(app, names_of(p), "N", meanings_of(p.flag), kGroup));
  inputs_ = add_value(app, "--inputs", "FILE", "Token vectors of your own, .npy or .csv: (tokens, features)",
                      kGroup);
  weights_ = add_values(app, "--weights", "NAME=FILE",
                        "A weight matrix of your own, .npy or .csv; repeatable", kGroup);
  tokens_ = add_value(app, "--tokens", "a,b,c", "Names of the tokens", kGroup);
}

Settings LessonFlags::settings(const Lesson& lesson) const {
  std::vector<Settings::Given> changes;
  for (const CLI::Option* parameter : parameters_)
    if (const auto text = given(parameter)) changes.push_back({name_of(parameter), *text});
  Settings settings(lesson, changes);
  if (const auto path = given(inputs_)) settings.load_inputs(*path);
  for (const std::string& assignment : all_given(weights_)) settings.load_weights(assignment);
  if (const auto names = given(tokens_)) settings.name_tokens(*names);
  return settings;
}

Runner LessonFlags::runner(const Lesson& lesson) const { return learn::runner(lesson, settings(lesson)); }

Recording LessonFlags::open(const Lesson& lesson, Keep keep) const {
  return record(runner(lesson), as_typed(), keep);
}

std::string LessonFlags::as_typed() const {
  std::vector<const CLI::Option*> options(parameters_.begin(), parameters_.end());
  options.insert(options.end(), {inputs_, weights_, tokens_});
  std::string text;
  for (const CLI::Option* option : options) text += learn::as_typed(option);
  return text;
}

WhatIf as_it_is(const Lesson& lesson, Keep keep) { return {runner(lesson, Settings(lesson, {})), "", keep}; }

std::string as_typed(const CLI::Option* option) {
  std::string text;
  for (const std::string& value : all_given(option)) text += as_typed(name_of(option), value);
  return text;
}

}  // namespace glassgrad::learn
