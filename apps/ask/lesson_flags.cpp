#include "apps/ask/lesson_flags.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/cli/memory.h"
#include "engine/core/device.h"

#include "apps/lesson/document.h"
#include "apps/lesson/lesson_files.h"
#include "apps/lesson/model_lesson.h"

namespace glassgrad::learn {
namespace {

// Adds the name that the sources use for a flag's value as a second name of the flag, unless it is taken.
std::string names_of(const Lesson& lesson, const SettingSpec& p) {
  constexpr std::pair<std::string_view, std::string_view> kInSources[] = {
      {"--heads", "--num-heads"},        {"--width", "--d-model"},      {"--width", "--token-emb-dim"},
      {"--context", "--context-length"}, {"--context", "--chunk-size"}, {"--hidden", "--hidden-dim"},
      {"--vocab", "--vocab-size"},
  };
  std::string names = p.flag;
  for (const auto& [flag, name] : kInSources)
    if (flag == p.flag &&
        std::none_of(lesson.setting_specs.begin(), lesson.setting_specs.end(),
                     [&, theirs = name](const SettingSpec& other) { return other.flag == theirs; }))
      names += fmt::format(",{}", name);
  return names;
}

bool has_flag(const CLI::App& app, const std::string& word) {
  return !word.starts_with("--") || word.size() == 2 || has_option(app, word.substr(0, word.find('=')));
}

// Returns the place of the setting: "FILE:LINE" in the lesson's file, else the lesson's id.
std::string place_of(const Lesson& lesson, const SettingSpec& p) {
  for (const DocumentSetting& s : lesson.document->settings)
    if (s.flag == p.flag) return fmt::format("{}:{}", lesson.document->file, s.line);
  return lesson.id;
}

}  // namespace

LessonFlags::LessonFlags(CLI::App& app, CLI::Option* text) : app_(app), text_(text) {
  inputs_ = add_value(app, "--inputs", "FILE", "Token vectors of your own, .npy or .csv: (tokens, features)",
                      kGroup);
  weights_ = add_values(app, "--weights", "NAME=FILE",
                        "A weight matrix of your own, .npy or .csv; repeatable", kGroup);
  tokens_ = add_value(app, "--tokens", "a,b,c", "Names of the tokens", kGroup);
  model_ = add_value(app, "--model", "CHECKPOINT",
                     "A model that `train` has saved, or its folder, in place of gpt's own", kGroup);
  if (!text_)
    text_ = add_value(app, "--text", "TEXT", "What that model reads (cats climb trees during)", kGroup);
}

void LessonFlags::prepare(const std::vector<std::string>& words) {
  const auto name = first_name(app_, words);
  const Lesson* const lesson = name ? lesson_or_file(*name) : nullptr;
  if (lesson)
    add(*lesson, fmt::format("Settings of {}", lesson->id));
  else
    describe_further(app_, "A lesson's name before --help adds the settings of that lesson");
  // Also accept settings of other lessons here: settings() then reports which ones this lesson has.
  if (std::any_of(words.begin(), words.end(), [&](const std::string& w) { return !has_flag(app_, w); }))
    for (const Lesson* other : lessons()) add(*other, kHidden);
}

void LessonFlags::add(const Lesson& lesson, const std::string& group) {
  for (const SettingSpec& p : lesson.setting_specs) {
    if (has_option(app_, p.flag)) {
      check(group == kHidden, "{}: {} is a flag of `{}` already: give the setting a different name",
            place_of(lesson, p), p.flag, name_of(app_));
      continue;
    }
    const std::string what = fmt::format("{} ({})", p.what, p.default_text);
    parameters_.push_back(
        add_value(app_, group == kHidden ? p.flag : names_of(lesson, p), "N", what, group.c_str()));
  }
}

Settings LessonFlags::settings(const Lesson& lesson) const {
  std::vector<Settings::GivenFlag> changes;
  for (const CLI::Option* parameter : parameters_)
    if (const auto text = given(parameter)) changes.push_back({name_of(parameter), *text});
  Settings settings(lesson, changes);
  if (const auto path = given(inputs_)) settings.load_inputs(*path);
  for (const std::string& assignment : all_given(weights_)) settings.load_weights(assignment);
  if (const auto names = given(tokens_)) settings.name_tokens(*names);
  return settings;
}

Runner LessonFlags::runner(const Lesson& lesson) const {
  // Limit memory on the CPU only: a GPU's driver maps far more memory than it takes.
  if (default_device.type == DeviceType::CPU) keep_to_available_memory();
  const auto model = given(model_), text = given(text_);
  check<UsageError>(model || !text, "--text is what a trained model reads: give --model too");
  if (model) {
    const std::string changes = changes_as_typed();
    check<UsageError>(changes.empty(), "--model has sizes and weights of its own: leave{} out", changes);
    return learn::runner(lesson, std::make_shared<TrainedModel>(*model), text);
  }
  return learn::runner(lesson, settings(lesson));
}

Recording LessonFlags::open(const Lesson& lesson, Keep keep) const {
  return record(runner(lesson), as_typed(), keep);
}

std::string LessonFlags::changes_as_typed() const {
  std::vector<const CLI::Option*> options(parameters_.begin(), parameters_.end());
  options.insert(options.end(), {inputs_, weights_, tokens_});
  std::string text;
  for (const CLI::Option* option : options) text += learn::as_typed(option);
  return text;
}

std::string LessonFlags::as_typed() const {
  return changes_as_typed() + (given(model_) ? learn::as_typed(model_) + learn::as_typed(text_) : "");
}

WhatIf as_it_is(const Lesson& lesson, Keep keep) { return {runner(lesson, Settings(lesson, {})), "", keep}; }

std::string as_typed(const CLI::Option* option) {
  std::string text;
  for (const std::string& value : all_given(option)) text += as_typed(name_of(option), value);
  return text;
}

}  // namespace glassgrad::learn
