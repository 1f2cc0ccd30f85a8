#include "apps/learn/command.h"

#include <unistd.h>

#include <optional>

#include "apps/arguments.h"
#include "apps/learn/render.h"
#include "apps/learn/selection.h"
#include "apps/learn/stepper.h"

namespace glassgrad::learn {
namespace {

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
  flags_.emplace(*app_);
}

Recording Command::open(const Lesson& lesson, Keep keep) const {
  const bool asked_for = given(lesson_).value_or(lesson.id) == lesson.id;
  return asked_for ? flags_->open(lesson, keep) : open_as_it_is(lesson, keep);
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
  // Whoever steps may open any number, so every call is kept. At most, in the lesson of GPT-2's size, that
  // takes 493 MB instead of 366: most of it the lesson holds at some moment anyway, and counts before it
  // begins.
  const auto opened = [this](const Lesson& lesson) { return open(lesson, Keep::Calls); };
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

  const Lesson& lesson = find_lesson(*name);
  if (step_ || (terminal && forms == 0)) return step_through(lesson, opened, how, out);
  const Recording recording = open(lesson, Keep::Steps);
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
