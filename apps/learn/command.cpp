#include "apps/learn/command.h"

#include <unistd.h>

#include <algorithm>
#include <optional>

#include "apps/arguments.h"
#include "apps/learn/climb.h"
#include "apps/learn/climb_model.h"
#include "apps/learn/render.h"
#include "apps/learn/selection.h"
#include "apps/learn/stepper.h"
#include "apps/text/visible.h"

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

// $'\x1b': what a terminal must not get as it is.
std::string in_escapes(std::string_view value) {
  std::string text;
  for (const char c : value)
    text += c >= ' ' && c <= '~' && c != '\'' && c != '\\'
                ? std::string(1, c)
                : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  return fmt::format("$'{}'", text);
}

// No control characters, and no bytes that are no text.
bool can_be_shown(std::string_view value) {
  std::string words;
  for (const char c : value) words += c == ' ' ? "␣" : c == '\\' ? "\\\\" : std::string(1, c);
  return visible(value) == words;
}

// " --seed 7" or " --inputs 'my file.npy'".
std::string as_typed(const std::string& flag, std::string_view value) {
  if (!can_be_shown(value)) return fmt::format(" {} {}", flag, in_escapes(value));
  std::string quoted = "'";
  for (const char c : value) quoted += c == '\'' ? "'\\''" : std::string(1, c);
  quoted += "'";
  const bool plain = quoted.find_first_of(" \"`$&|;<>()*?[]#~!\\") == quoted.npos && quoted.size() > 2;
  return fmt::format(" {} {}", flag, plain ? std::string(value) : quoted);
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
  predict_.add_to(*app_);

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
  model_ = option("--model", "CHECKPOINT", "A model that `train` has saved, or its folder (climb)");
  text_ = option("--text", "TEXT", "What that model reads (cats climb trees during)");
  for (CLI::Option* o : parameters_) o->group(kToChange);
  for (CLI::Option* o : {inputs_, weights_, tokens_, model_, text_}) o->group(kToChange);
}

void Command::check_model(const Lesson& lesson) const {
  check<UsageError>(given(model_) || !given(text_), "--text is what a trained model reads: give --model too");
  if (!given(model_)) return;
  check<UsageError>(&lesson == &climb, "--model goes with the lesson climb, not with {}", lesson.id);
  check<UsageError>(!outputs_, "--outputs shows what a source prints, and a model has none: take --plain");
  for (const CLI::Option* option : app_->get_options())
    check<UsageError>(
        option->get_group() != kToChange || option == model_ || option == text_ || option->count() == 0,
        "--model shows a trained model as it is: leave {} out", option->get_name());
}

Recording Command::open(const Lesson& lesson, Keep keep) const {
  const bool asked_for = given(lesson_).value_or(lesson.id) == lesson.id;
  Recording recording = asked_for && given(model_) ? record_model(*given(model_), given(text_), keep)
                                                   : run_lesson(lesson, asked_for, keep);
  if (asked_for)
    for (const CLI::Option* option : app_->get_options())
      if (option->get_group() == kToChange)
        for (const std::string& value : option->results())
          recording.flags += as_typed(option->get_name(), value);
  return recording;
}

Recording Command::run_lesson(const Lesson& lesson, bool asked_for, Keep keep) const {
  std::vector<Settings::Given> changes;
  for (const CLI::Option* parameter : parameters_)
    if (const auto text = given(parameter)) changes.push_back({parameter->get_name(), *text});
  if (!asked_for) changes.clear();  // its neighbours are shown as they are
  Settings settings(lesson, changes);
  if (asked_for) {
    if (const auto path = given(inputs_)) settings.load_inputs(*path);
    for (const std::string& assignment : weights_->results()) settings.load_weights(assignment);
    if (const auto names = given(tokens_)) settings.name_tokens(*names);
  }
  lesson.check(settings);
  return record(lesson, settings, keep);
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
                     .keep = !no_state_ && !given(model_),  // its steps are not the lesson's
                     .from = given(from_),
                     .to = given(to_)};
  const std::optional<std::string> name = given(lesson_);
  if (!name) {
    check<UsageError>(app_->count_all() <= 1 + size_t(no_state_),
                      "which lesson? `glassgrad learn` lists them");
    return terminal ? offer_lessons(opened, how, out) : render_lessons("Start one: glassgrad learn", out);
  }

  const Lesson& lesson = find_lesson(*name);
  check_model(lesson);
  if (predict_.are_given()) {
    check<UsageError>(forms == int(markdown) && !speak_ && !step_,
                      "--predict asks, or with --format markdown makes a sheet: leave other forms out");
    const Recording recording = open(lesson, Keep::Calls);
    return predict_.run(recording, select_steps(recording, how.from, how.to), markdown, terminal, out);
  }
  if (step_ || (terminal && forms == 0)) return step_through(lesson, opened, how, out);
  const Recording recording = open(lesson);
  const Steps steps = select_steps(recording, how.from, how.to);
  if (outputs_)
    render_outputs(steps, out);
  else if (plain_)
    render_plain(steps, out);
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
