#include "apps/learn/command.h"

#include <unistd.h>

#include <algorithm>

#include "apps/arguments.h"
#include "apps/learn/render.h"
#include "apps/learn/selection.h"
#include "apps/learn/stepper.h"

namespace glassgrad::learn {

Command::Command(CLI::App& program)
    : app_(program.add_subcommand("learn", "Step through a lesson; without a name, list the lessons")) {
  app_->footer(
      "Example: glassgrad learn journey --from masked-scores --to masked-softmax\n"
      "On a terminal a lesson goes step by step; into a pipe or a file it is printed whole.");
  app_->add_option("LESSON", lesson_, "Name of the lesson")->option_text(" ");
  const char* output = "What to print";
  app_->add_option("--from", from_, "First step: id, number or section of the source")->option_text("STEP")->group(output);
  app_->add_option("--to", to_, "Last step")->option_text("STEP")->group(output);
  app_->add_flag("--outputs", outputs_, "Only what the source itself prints, to the character")->group(output);
  app_->add_flag("--plain", plain_, "Every tensor as PyTorch's text")->group(output);
  app_->add_flag("--list", list_, "Number, id, title and tensors of each step")->group(output);
  app_->add_option("--format", format_, "text or json")->option_text("FORMAT")->group(output);

  const char* changes = "What to change";
  for (const Lesson* lesson : lessons())
    for (const Parameter& p : lesson->parameters) {
      const auto same = [&](const Flag& f) { return f.name == p.flag; };
      if (std::any_of(parameters_.begin(), parameters_.end(), same)) continue;
      const std::string what = fmt::format("{} ({})", p.what, p.default_text);
      CLI::Option* option = app_->add_option(p.flag, what)->type_size(1)->option_text("N")->group(changes);
      parameters_.push_back({p.flag, option});
    }
  inputs_option_ = app_->add_option("--inputs", inputs_, "Token vectors of your own: an array (tokens, features)")
                       ->option_text("FILE.npy")
                       ->group(changes);
  tokens_option_ = app_->add_option("--tokens", tokens_, "Names of the tokens")->option_text("a,b,c")->group(changes);
}

void Command::run(Output& out) const {
  const bool json = format_ == "json";
  check<UsageError>(json || format_ == "text", "--format is text or json, not '{}'", format_);
  check<UsageError>(outputs_ + plain_ + list_ + json <= 1,
                    "--outputs, --plain, --list and --format json exclude each other: give one of them");
  if (lesson_.empty()) {
    check<UsageError>(app_->count_all() <= 1, "which lesson? `glassgrad learn` lists them");
    return render_lessons(out);
  }
  const Lesson& lesson = find_lesson(lesson_);
  std::vector<Settings::Given> given;
  for (const Flag& f : parameters_)
    if (f.option->count() > 0) given.push_back({f.name, f.option->results().back()});
  Settings settings(lesson, given);
  if (inputs_option_->count() > 0) settings.load_inputs(inputs_);
  if (tokens_option_->count() > 0) settings.name_tokens(tokens_);
  lesson.check(settings);

  const Recording recording = record(lesson, settings);
  const Steps steps = select_steps(recording, from_, to_);
  if (outputs_) render_outputs(steps, out);
  else if (plain_) render_plain(steps, out);
  else if (list_) render_list(steps, out);
  else if (json) render_json(recording, steps, out);
  else if (wants_to_step(out)) step_through(recording, steps, out);
  else render_text(recording, steps, out);
}

bool Command::wants_to_step(const Output& out) const { return out.is_terminal() && ::isatty(STDIN_FILENO) == 1; }

}  // namespace glassgrad::learn
