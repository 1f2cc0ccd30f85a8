// The command `learn`: steps through a lesson, or prints it in one of several forms.
#include "apps/commands/commands.h"

#include <unistd.h>

#include <csignal>
#include <functional>
#include <optional>

#include "apps/ask/anomaly.h"
#include "apps/ask/backward.h"
#include "apps/ask/lesson_flags.h"
#include "apps/ask/mistakes.h"
#include "apps/ask/predict/predict.h"
#include "apps/cli/arguments.h"
#include "apps/cli/device.h"
#include "apps/cli/json_number.h"
#include "apps/cli/text_width.h"
#include "apps/commands/elsewhere.h"
#include "apps/lesson/lesson_files.h"
#include "apps/lesson/phrases.h"
#include "apps/lesson/program.h"
#include "apps/lesson/selection.h"
#include "apps/page/document.h"
#include "apps/page/lesson_page.h"
#include "apps/screen/interruptible_run.h"
#include "apps/show/render.h"
#include "apps/stepper/full_screen.h"
#include "apps/stepper/lesson_list.h"
#include "apps/stepper/list_screen.h"
#include "apps/stepper/stepper.h"
#include "apps/terminal/signals.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kHelpColumns = 80;

bool stands_at_a_terminal(const Output& out) { return out.is_terminal() && ::isatty(STDIN_FILENO) == 1; }

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  void prepare(const std::vector<std::string>& words) override;
  // For a lesson: its topic, its flags, and the keys.
  std::string help() const override;
  // Throws UsageError, and the errors of the lesson.
  void run(Output& out) const override;

 private:
  Recording record(const Lesson& lesson, Keep keep) const;
  // Records the lesson so that its numbers can be changed. If the command line does not name the lesson, it
  // keeps its default settings.
  WhatIf open(const Lesson& lesson, Keep keep) const;
  // Writes the lesson as a web page.
  void write_html(const Lesson& lesson, const std::string& path, Output& out) const;
  // Shows a classic mistake on the lesson's inputs.
  void tell_mistake(const std::string& format, Output& out) const;
  void render(const Recording& recording, Steps steps, const std::string& format, Output& out) const;
  // Writes the lesson's program, to run it elsewhere.
  void write_program(const Lesson& lesson, bool notebook, Output& out) const;
  void lint(const Lesson& lesson, Output& out) const;

  // Calls run(), which runs the lesson. The reader's own file may run long, so a terminal shows a message.
  void wait_for(const Lesson& lesson, const std::function<void()>& run) const;

  CLI::Option *lesson_, *from_, *to_, *format_, *html_, *set_, *bug_, *device_;
  std::optional<PredictFlags> predict_;
  std::optional<LessonFlags> flags_;  // created last: the help lists them last
  const Lesson* about_ = nullptr;     // the lesson that the command line names
  bool site_ = false, outputs_ = false, plain_ = false, list_ = false, backward_ = false, speak_ = false,
       step_ = false, no_state_ = false, detect_anomaly_ = false, lint_ = false;
  mutable bool is_ended_early_ = false;  // Ctrl-C ended the lesson's run
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Learn, "learn",
                 "Step through a lesson; without LESSON, list the lessons",
                 "glassgrad learn journey --from masked-scores --to masked-softmax") {
  lesson_ = add_value("LESSON", "", "Name of the lesson, or a file of your own: NAME.md, NAME.py");

  const char* print = "What to print";
  from_ = add_value("--from", "STEP", "First step: its id, number or section of the source", print);
  to_ = add_value("--to", "STEP", "Last step", print);
  format_ = add_value("--format", "FORMAT", "text, markdown, json, python or notebook (text)", print);
  html_ = add_value("--html", "FILE", "One page with all of it for any browser, offline; - for the output",
                    print);
  add_flag("--site", site_, "With --html: a page of the site that make site writes, with links to the others",
           print);
  add_flag("--outputs", outputs_, "Only what the lesson's program prints, to the character", print);
  add_flag("--plain", plain_, "Every tensor as PyTorch's text", print);
  add_flag("--list", list_, "Number, id, title and tensors of each step", print);
  add_flag("--backward", backward_, "The backward passes of the lesson, a step for each node", print);
  add_flag("--speak", speak_, "To listen to: one sentence a line, no grids", print);
  add_flag("--lint", lint_, "Only what is wrong with a lesson's file; exit code 1 if anything is", print);

  const char* step = "How to step";
  add_flag("--step", step_, "Step by step: a command a line (next, back, goto, search, quit)", step);
  add_flag("--no-state", no_state_, "Neither read nor remember where you stopped", step);

  const char* what_if = "What if";
  set_ = add_values("--set", "[STEP:]TENSOR[i,j]=V",
                    "What if that number were V? Marks what changes; repeatable", what_if);
  bug_ =
      add_value("--bug", "NAME", "A classic mistake beside the right computation; list names them", what_if);

  add_flag("--detect-anomaly", detect_anomaly_,
           "Where is the first nan made, forward or backward? Exit code 1 if one is", what_if);

  device_ = add_value("--device", "NAME", kDevices);
  predict_.emplace(*app_);
  flags_.emplace(*app_);
}

void Command::prepare(const std::vector<std::string>& words) {
  flags_->prepare(words);
  if (const auto name = first_name(*app_, words)) about_ = lesson_or_file(*name);
}

std::string Command::help() const {
  const std::string all = Subcommand::help();
  if (!about_) return all;
  const std::string name = about_->own_file ? about_->own_file : about_->id;
  const size_t changes = all.find(fmt::format("\n{}:\n", LessonFlags::kGroup));
  const std::string_view first = about_->document->steps.front().id;
  const std::string flag = about_->setting_specs.empty() ? ""
                                                         : std::string(" ") + about_->setting_specs[0].flag +
                                                               " " + about_->setting_specs[0].default_text;
  std::string text = fmt::format("Example: glassgrad learn {}{}\n\n", name, flag);
  text += std::string(about_->source) + "\n";
  if (about_->understand[0])
    for (const std::string& line :
         filled(fmt::format("You will understand {}.", about_->understand), 0, kHelpColumns))
      text += line + "\n";
  text += fmt::format("{} steps, about {} minutes; the first is {}.\n\nUsage: glassgrad learn {} [OPTIONS]\n",
                      about_->document->steps.size(), about_->minutes, first, name);
  text += "What to print, and all other flags: glassgrad learn --help\n" + all.substr(changes);
  text += "\nKeys, while you step:\n";
  for (const Line& line : help_lines(lesson_keys()))
    if (!line.empty()) text += plain_text(line) + "\n";
  return text;
}

void Command::wait_for(const Lesson& lesson, const std::function<void()>& run) const {
  if (!lesson.own_file || ::isatty(STDERR_FILENO) != 1) return run();
  is_ended_early_ = run_interruptible(printable(lesson.document->file), run);
}

Recording Command::record(const Lesson& lesson, Keep keep) const {
  const std::vector<std::string> changes = all_given(set_);
  std::optional<Recording> recording;
  wait_for(lesson, [&] {
    const Runner runner = flags_->runner(lesson);
    if (changes.empty()) {
      const bool tensors_alone = outputs_ || plain_ || list_ || given(format_) == "json";
      recording = runner(keep, {.sentences = !tensors_alone});
      recording->flags = flags_->as_typed();
    } else {
      recording = WhatIf(runner, flags_->as_typed(), std::max(keep, Keep::Calls)).set_once(changes);
    }
  });
  return *std::move(recording);
}

WhatIf Command::open(const Lesson& lesson, Keep keep) const {
  const auto name = given(lesson_);
  if (name && &find_lesson_or_file(*name) != &lesson) return as_it_is(lesson, keep);  // a lesson beside it
  const std::vector<std::string> changes = all_given(set_);
  std::optional<WhatIf> opened;
  wait_for(lesson, [&] {
    opened.emplace(flags_->runner(lesson), flags_->as_typed(),
                   changes.empty() ? keep : std::max(keep, Keep::Calls));
    opened->set(changes);
  });
  return *std::move(opened);
}

void Command::write_html(const Lesson& lesson, const std::string& path, Output& out) const {
  check<UsageError>(!path.empty(), "--html takes the path of a file, not ''");
  check<UsageError>(
      !given(from_) && !given(to_) && !backward_ && !speak_ && !step_ && !detect_anomaly_ &&
          !predict_->are_given(),
      "--html writes all steps, forward and backward, and asks questions itself: leave other forms out");
  const Recording forward = record(lesson, Keep::Backward);
  std::optional<Recording> backward;
  if (!forward.passes.empty()) backward = backward_steps(forward);
  std::optional<Settings> settings;  // none: a trained model has its own
  if (!given(flags_->model())) settings = flags_->settings(lesson);
  const std::string page = explorer::lesson_page({.forward = forward,
                                                  .backward = backward ? &*backward : nullptr,
                                                  .settings = settings ? &*settings : nullptr,
                                                  .set = all_given(set_)},
                                                 site_);
  explorer::write_page(path, page, out);
}

void Command::tell_mistake(const std::string& format, Output& out) const {
  const ClassicMistake mistake = find_mistake(*given(bug_));
  const std::initializer_list<const CLI::Option*> others = {from_, to_, set_, flags_->model(), html_};
  for (const CLI::Option* other : others)
    check<UsageError>(!given(other), "--bug shows a computation of its own and takes no {}", name_of(other));
  check<UsageError>(!outputs_ && !list_ && !step_ && format != "python" && format != "notebook",
                    "--bug is shown as text, with --plain, --speak, or with --format markdown or json");
  const Lesson& lesson = find_lesson(*given(lesson_));  // the mistake uses its settings
  const MistakeShown shown = learn::show_mistake(mistake, lesson, flags_->settings(lesson));
  render(shown.recording, shown.steps, format, out);
}

void Command::render(const Recording& recording, Steps steps, const std::string& format, Output& out) const {
  if (outputs_)
    render_outputs(steps, out);
  else if (plain_)
    render_plain(recording, steps, out);
  else if (list_)
    render_list(steps, out);
  else if (format == "json")
    render_json(recording, steps, out);
  else if (format == "markdown")
    render_markdown(recording, steps, out);
  else if (speak_)
    render_spoken(recording, steps, out);
  else
    render_text(recording, steps, out);
}

void Command::write_program(const Lesson& lesson, bool notebook, Output& out) const {
  const std::initializer_list<const CLI::Option*> others = {from_, to_, set_, flags_->model(),
                                                            flags_->weights()};
  for (const CLI::Option* other : others)
    check<UsageError>(!given(other),
                      "--format {} writes the whole program, with its settings and --inputs: leave {} out",
                      notebook ? "notebook" : "python", name_of(other));
  const Settings settings = flags_->settings(lesson);
  const ExportChanges changes{.settings = values_of(*lesson.document, settings),
                              .inputs = settings.own_inputs ? settings.inputs : Tensor()};
  if (!notebook) return out.write(python_of(*lesson.document, changes));
  LessonFindings findings;
  collect_findings(lesson, settings, findings);
  out.write(notebook_of(*lesson.document, changes, findings));
}

void Command::lint(const Lesson& lesson, Output& out) const {
  const std::vector<std::string> problems = problems_of(lesson);
  for (const std::string& problem : problems) out.write(printable(problem) + "\n");
  out.flush();
  check(problems.empty(), "{} has {}", *given(lesson_), counted(std::ssize(problems), "problem"));
}

void Command::run(Output& out) const {
  const std::string format = given(format_).value_or("text");
  const bool json = format == "json", markdown = format == "markdown",
             exported = format == "python" || format == "notebook";
  check<UsageError>(json || markdown || exported || format == "text",
                    "--format is text, markdown, json, python or notebook, not '{}'", format);
  const int forms = outputs_ + plain_ + list_ + json + markdown + exported + bool(given(html_)) + lint_;
  check<UsageError>(
      forms + speak_ <= 1,
      "--outputs, --plain, --list, --speak, --html, --lint and --format {} exclude each other: give one of them",
      format == "text" ? "json" : format);
  check<UsageError>(!backward_ || !outputs_,
                    "--outputs is what the lesson's program prints; it prints no backward pass");
  check<UsageError>(!site_ || given(html_), "--site goes with --html");
  check<UsageError>(forms + step_ <= 1, "--step shows text or, with --speak, sentences to listen to");
  // Keep every call, because a reader who steps may open any number. The largest lesson, of GPT-2's size,
  // then takes 493 MB instead of 366: it holds most of that at some moment anyway, and checks the memory
  // before it begins.
  const auto opened = [this](const Lesson& lesson) { return open(lesson, Keep::Backward); };
  const bool terminal = stands_at_a_terminal(out);
  StepOptions how{.terminal = terminal,
                  .lines = step_,
                  .speak = speak_,
                  .knows = !no_state_,
                  .keep = !no_state_ && !given(flags_->model()),  // a model's steps are not the lesson's
                  .backward = backward_,
                  .from = given(from_),
                  .to = given(to_)};
  const std::optional<std::string> name = given(lesson_);
  if (given(bug_) == "list") {
    for (const ClassicMistake& m : classic_mistakes())
      out.write(fmt::format("{:<18}{}\n", m.name(), m.what()));
    return;
  }
  const DefaultDevice device = use_device(device_);
  if (!name) {
    check<UsageError>(count_given() <= 1 + size_t(no_state_) + size_t(step_) + size_t(speak_) +
                                           all_given(device_).size() + (json ? all_given(format_).size() : 0),
                      "which lesson? `glassgrad learn` lists them");
    if (json) return out.write(json_text(lessons_json(Progress(how.keep)), 2) + "\n");
    if (terminal) return choose_from_list(history(), how, out);
    const Progress progress(how.keep);
    if (const std::string remark = progress.take_remark(); !remark.empty())
      out.write(printable(remark) + "\n");
    return out.write(lesson_list(progress) + "\n" + what_comes_next(progress, today()));
  }

  if (given(bug_)) return tell_mistake(format, out);
  const Lesson& lesson = lesson_or_elsewhere(*name);
  how.knows = how.knows && !lesson.own_file;
  how.keep = how.keep && !lesson.own_file;
  if (lint_) return lint(lesson, out);
  if (exported) return write_program(lesson, format == "notebook", out);
  if (const auto path = given(html_)) return write_html(lesson, *path, out);
  if (predict_->are_given()) {
    check<UsageError>(forms == int(markdown) && !speak_ && !step_ && !backward_,
                      "--predict asks, or with --format markdown makes a sheet: leave other forms out");
    predict_->check(markdown);
    how.predict = predict_->quiz_mode();
    check<UsageError>(how.predict || (!how.from && !how.to),
                      "--from and --to choose what --predict asks: --answers alone checks any number");
    if (terminal && !markdown && !predict_->checks_a_file() && *how.predict != QuizMode::Exam)
      return predict_->check_pass(step_through(lesson, opened, how, history(), out), out);
    const Recording recording = record(lesson, Keep::Calls);
    return predict_->run(recording, select_steps(recording, how.from, how.to), markdown, terminal, out);
  }
  if (detect_anomaly_) {
    check<UsageError>(forms + speak_ + step_ == 0 && !how.from && !how.to,
                      "--detect-anomaly looks at every call of the lesson: leave other forms out");
    return tell_anomaly(record(lesson, Keep::Backward), out);
  }
  if (step_ || (terminal && forms == 0)) {
    step_through(lesson, opened, how, history(), out);
    return;
  }
  Recording recording = record(lesson, backward_ ? Keep::Backward : speak_ ? Keep::Calls : Keep::Steps);
  if (backward_) recording = backward_steps(recording);
  render(recording, how.from || how.to ? select_steps(recording, how.from, how.to) : Steps(recording.steps),
         format, out);
  if (!is_ended_early_) return;
  out.flush();
  throw Interrupted{SIGINT};
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::learn
