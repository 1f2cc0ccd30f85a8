#include "apps/learn/command.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "apps/arguments.h"
#include "apps/learn/mistakes.h"
#include "apps/learn/render.h"
#include "apps/learn/selection.h"
#include "apps/learn/stepper.h"

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

bool stands_at_a_terminal(const Output& out) { return out.is_terminal() && ::isatty(STDIN_FILENO) == 1; }

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, "learn", "Step through a lesson; without LESSON, list the lessons") {
  const auto option = [&](const std::string& name, const char* value, const std::string& what) {
    return add_value(*app_, name, value, what);
  };
  const auto flag = [&](const char* name, bool& on, const char* what) {
    return app_->add_flag(name, on, what)->disable_flag_override();
  };
  app_->footer("Example: glassgrad learn journey --from masked-scores --to masked-softmax");
  lesson_ = option("LESSON", "", "Name of the lesson");

  from_ = option("--from", "STEP", "First step: its id, number or section of the source");
  to_ = option("--to", "STEP", "Last step");
  format_ = option("--format", "FORMAT", "text, markdown or json (text)");
  for (CLI::Option* o :
       {from_, to_, format_, flag("--outputs", outputs_, "Only what the source prints, to the character"),
        flag("--plain", plain_, "Every tensor as PyTorch's text"),
        flag("--list", list_, "Number, id, title and tensors of each step"),
        flag("--speak", speak_, "To listen to: one sentence a line, no grids")})
    o->group("What to print");
  for (CLI::Option* o :
       {flag("--step", step_, "Step by step: a command a line (next, back, goto, search, quit)"),
        flag("--no-state", no_state_, "Neither read nor remember where you stopped")})
    o->group("How to step");

  for (const Lesson* lesson : lessons())
    for (const Parameter& p : lesson->parameters) {
      const std::string what = fmt::format("{} ({} {})", p.what, lesson->id, p.default_text);
      if (CLI::Option* known = app_->get_option_no_throw(p.flag))
        known->description(known->get_description() + "\n" + what);
      else
        parameters_.push_back(option(names_of(p), "N", what));
    }
  inputs_ = option("--inputs", "FILE", "Token vectors of your own, .npy or .csv: (tokens, features)");
  weights_ = option("--weights", "NAME=FILE", "A weight matrix of your own, .npy or .csv; repeatable");
  weights_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  tokens_ = option("--tokens", "a,b,c", "Names of the tokens");
  for (CLI::Option* o : parameters_) o->group(kToChange);
  for (CLI::Option* o : {inputs_, weights_, tokens_}) o->group(kToChange);
  set_ = option("--set", "STEP:TENSOR[i,j]=V", "What if this number were V? Marks what changes; repeatable");
  set_->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)->group("What if");
  bug_ = option("--bug", "NAME", "A classic mistake beside the right computation; list names them");
  bug_->group("What if");
}

Settings Command::settings_for(const Lesson& lesson) const {
  const bool asked_for = given(lesson_).value_or(lesson.id) == lesson.id;
  std::vector<Settings::Given> changes;  // its neighbours are shown as they are
  if (asked_for)
    for (const CLI::Option* parameter : parameters_)
      if (const auto text = given(parameter)) changes.push_back({parameter->get_name(), *text});
  Settings settings(lesson, changes);
  if (!asked_for) return settings;
  if (const auto path = given(inputs_)) settings.load_inputs(*path);
  for (const std::string& assignment : weights_->results()) settings.load_weights(assignment);
  if (const auto names = given(tokens_)) settings.name_tokens(*names);
  return settings;
}

WhatIf Command::open(const Lesson& lesson) const {
  const Settings settings = settings_for(lesson);
  lesson.check(settings);
  const bool asked_for = given(lesson_).value_or(lesson.id) == lesson.id;
  WhatIf opened(lesson, settings, set_->empty() ? Keep::Steps : Keep::Calls);
  if (!asked_for) return opened;
  std::string flags;
  for (const CLI::Option* option : app_->get_options())
    if (option->get_group() == kToChange)
      for (const std::string& value : option->results()) flags += as_typed(option->get_name(), value);
  opened.name_flags(flags);
  opened.set(set_->results());
  return opened;
}

void Command::show_mistake(const std::string& format, Output& out) const {
  const std::string name = *given(bug_);
  if (name == "list") return render_mistakes(out);
  const Mistake& mistake = find_mistake(name);
  for (const CLI::Option* other : {from_, to_, set_, weights_})
    check<UsageError>(other->empty(), "--bug shows a computation of its own and takes no {}",
                      other->get_name());
  check<UsageError>(!outputs_ && !plain_ && !list_ && !speak_ && !step_,
                    "--bug is shown as text, or with --format markdown or json");
  const Lesson& lesson = find_lesson(*given(lesson_));
  render_mistake(run_mistake(mistake, lab(lesson, settings_for(lesson))), format, out);
}

void Command::run(Output& out) const {
  const std::string format = given(format_).value_or("text");
  const bool json = format == "json", markdown = format == "markdown";
  check<UsageError>(json || markdown || format == "text", "--format is text, markdown or json, not '{}'",
                    format);
  const int forms = outputs_ + plain_ + list_ + json + markdown;
  check<UsageError>(
      forms + speak_ <= 1,
      "--outputs, --plain, --list, --speak and --format {} exclude each other: give one of them",
      markdown ? format : "json");
  check<UsageError>(forms + step_ <= 1, "--step shows text or, with --speak, sentences to listen to");
  const auto opened = [this](const Lesson& lesson) { return open(lesson); };
  const bool terminal = stands_at_a_terminal(out);
  const Stepping how{.terminal = terminal,
                     .lines = step_,
                     .speak = speak_,
                     .keep = !no_state_,
                     .from = given(from_),
                     .to = given(to_)};
  const std::optional<std::string> name = given(lesson_);
  if (!name) {
    check<UsageError>(app_->count_all() <= 1 + size_t(no_state_),
                      "which lesson? `glassgrad learn` lists them");
    return terminal ? offer_lessons(opened, how, out) : render_lessons("Start one: glassgrad learn", out);
  }

  if (given(bug_)) return show_mistake(format, out);
  const Lesson& lesson = find_lesson(*name);
  if (step_ || (terminal && forms == 0)) return step_through(lesson, opened, how, out);
  const WhatIf what_if = open(lesson);
  const Recording& recording = what_if.recording();
  const Steps steps = select_steps(recording, how.from, how.to);
  if (outputs_)
    render_outputs(steps, out);
  else if (plain_)
    render_plain(recording, steps, out);
  else if (list_)
    render_list(steps, out);
  else if (json)
    render_json(recording, steps, out);
  else if (markdown)
    render_markdown(recording, steps, out);
  else if (speak_)
    render_spoken(recording, steps, out);
  else
    render_text(recording, steps, out);
}

}  // namespace glassgrad::learn
