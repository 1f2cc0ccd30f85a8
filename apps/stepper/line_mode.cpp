#include "apps/stepper/line_mode.h"

#include <fmt/core.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "apps/ask/why/explanation.h"
#include "apps/cli/arguments.h"
#include "apps/cli/complain.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/difference.h"
#include "apps/screen/background_work.h"
#include "apps/show/enclosing_definition.h"
#include "apps/show/sentences.h"
#include "apps/stepper/step_glossary.h"
#include "engine/core/utf8.h"

namespace glassgrad::learn {
namespace {

constexpr const char* kCommands =
    "next, back, goto STEP, search TEXT, why TENSOR[i,j], set TENSOR[i,j]=V, edit LINE TEXT, reset, class, "
    "words [WORD], link [N], on, return, list, Backward, quit";
constexpr std::string_view kBackward = "Backward";
constexpr const char* kMorePrompt = "(more) ";
// A terminal that reports a smaller size does not know its size.
constexpr size_t kFewestLines = 5, kFewestColumns = 20;

struct Command {
  std::string name, argument;
};

// Returns the command that a line stands for; its name may be abbreviated. No name if there is no such
// command.
Command parse(std::string_view line) {
  if (line.front() == '/') return {"search", std::string(trimmed(line.substr(1)))};
  if (line == "?") return {"help", ""};
  if (is_travel(line)) return {std::string(line), ""};
  if (line.starts_with('B') && kBackward.starts_with(line)) return {std::string(kBackward), ""};
  const size_t end = std::min(line.find_first_of(" \t"), line.size());
  for (const std::string_view name : {"next", "back", "goto", "search", "why", "quit", "help", "set", "reset",
                                      "edit", "class", "words", "link"})
    if (name.starts_with(line.substr(0, end)))
      return {std::string(name), std::string(trimmed(line.substr(end)))};
  return {};
}

class TypedLines {
 public:
  TypedLines(Navigator& navigator, const LessonContext& context, const LineModeOptions& options, Input& input,
             Output& out)
      : navigator_(navigator), context_(context), options_(options), input_(input), out_(out) {}

  void show() {
    text_ = options_.speak ? spoken(navigator_.recording(), navigator_.step())
                           : step_text(navigator_.recording(), navigator_.step(), width());
    left_ = text_;
    go_on();
  }

  // Returns false to quit; sets `moved` on a step change.
  bool answer(std::string_view line, bool& moved) {
    if (line.empty() && !left_.empty()) {
      go_on();
      return true;
    }
    const Command command = line.empty() ? last_ : parse(line);
    if (command.name.empty()) {
      say(fmt::format("There is no command '{}'; there are {}. An empty line repeats the last one.",
                      printable(line), kCommands));
      return true;
    }
    last_ = command;
    moved = command.name != "quit" && obey(command);
    return command.name != "quit" && !context_.history.next;
  }

  void prompt() {
    if (!options_.terminal) return;
    if (!left_.empty()) out_.write(kMorePrompt);
    out_.write(prompt_text());
  }

  void say(const std::string& text) { out_.write(text + "\n"); }

 private:
  // Returns whether the command has led to a step.
  bool obey(const Command& command) {
    if (command.name == "help") {
      say(
          fmt::format("{}. STEP is a number, an id or a section. The beginning of a command is enough, /TEXT "
                      "searches too, and an empty line repeats the last command.",
                      kCommands));
      return false;
    }
    if (is_travel(command.name))
      return navigator_.is_program() ? refuse("No path leads from a program.") : travel(command.name);
    if (command.name == "link") return follow(command.argument);
    if (command.name == "next" && goes_on()) return travel("on");
    if (command.name == "next") return navigator_.next() || refuse("This is the last step.");
    if (command.name == "back") return navigator_.back() || refuse("This is the first step.");
    if (command.name == "goto") return go_to(command.argument);
    if (command.name == kBackward) return turn_over();
    if (command.name == "set") return set(command.argument);
    if (command.name == "edit") return edit(command.argument);
    if (command.name == "class") return show_enclosing_definitions();
    if (command.name == "words") return show_words(command.argument);
    if (command.name == "reset")
      return navigator_.is_changed() ? change_to(navigator_.without_last()) : refuse("Nothing is set.");
    if (command.name == "why") return open(command.argument);
    if (command.argument.empty() && navigator_.searched().empty())
      return refuse("search needs a text: search softmax");
    return navigator_.search(command.argument) ||
           refuse(fmt::format("No step has '{}'.", printable(navigator_.searched())));
  }

  bool turn_over() {
    try {
      return navigator_.turn_over() || refuse("No gradient passes here.");
    } catch (const Error& e) {
      return refuse(e.what());
    }
  }

  // Returns whether Enter leads on from here. In a pipe it does not: a script that repeats it would never
  // end.
  bool goes_on() const { return options_.terminal && navigator_.is_end() && !navigator_.is_program(); }
  std::string prompt_text() const {
    return fmt::format("Enter {}, b back, g STEP, /TEXT, ? help, q quit: ",
                       goes_on() ? on_text(stop(), context_.history, context_.progress) : "next");
  }
  std::string stop() const { return navigator_.recording().lesson->id; }
  Visit here() const { return {context_.history.here.words, navigator_.step().id}; }
  bool travel(std::string_view word) {
    Destination found = destination(word, stop(), here(), context_.history, context_.progress);
    if (!found.problem.empty()) return refuse(found.problem);
    context_.history.behind = std::move(found.behind);
    context_.history.go(std::move(found.to));
    return false;
  }
  // Lists the links of the step, or follows the link with that number.
  bool follow(const std::string& number) {
    const std::vector<std::string> links = links_of(navigator_.step().sentences);
    const auto chosen = parse_number<size_t>(number);
    if (chosen && *chosen >= 1 && *chosen <= links.size()) return go_to(links[*chosen - 1]);
    if (links.empty()) return refuse("This step has no link.");
    for (size_t k = 0; k < links.size(); ++k) say(fmt::format("{:>4}  {}", k + 1, links[k]));
    return refuse("link N follows one.");
  }

  bool go_to(const std::string& step) {
    const Target target = navigator_.is_program() || navigator_.has_step(step) ? Target() : target_of(step);
    if (target.stop && target.stop->id != stop()) {
      context_.history.behind.push_back(here());
      context_.history.go({target.stop->words, target.step});
      return false;
    }
    if (target.stop && !target.step.empty()) return go_to(target.step);
    if (step.empty()) return refuse("goto needs a step: its number, id or section.");
    try {
      navigator_.go_to(step);
      return true;
    } catch (const UsageError& e) {
      return refuse(printable(e.what()));
    }
  }

  bool set(const std::string& change) {
    if (change.empty()) return refuse("set needs a number and its new value: set masked[2,1]=0.5");
    try {
      return change_to(navigator_.with(change));
    } catch (const std::runtime_error& e) {
      return refuse(printable(message_of(e)));
    }
  }

  // "25 x = 2": replaces a line, by its number in the lesson's file. Its margin stays.
  bool edit(const std::string& argument) {
    const std::vector<CodeLine> lines =
        navigator_.is_backward() ? std::vector<CodeLine>() : editable_lines(navigator_.step());
    if (lines.empty()) return refuse("This step has no line of the lesson's program that can be edited.");
    const size_t end = std::min(argument.find(' '), argument.size());
    const auto number = parse_number<int>(argument.substr(0, end));
    const auto chosen =
        std::find_if(lines.begin(), lines.end(), [&](const CodeLine& l) { return l.line() == number; });
    if (argument.empty() || chosen == lines.end() || end == argument.size()) {
      if (!argument.empty() && chosen == lines.end())
        say(fmt::format("This step has no line {}.", printable(argument.substr(0, end))));
      for (const CodeLine& l : lines) say(fmt::format("{:>4}  {}", l.line(), l.text()));
      return refuse(
          fmt::format("edit {} NEW LINE writes one anew and runs the lesson with it.", lines[0].line()));
    }
    const std::string& old = chosen->text();
    const std::string margin(std::min(old.find_first_not_of(' '), old.size()), ' ');
    try {
      return change_to(navigator_.with_line(*number, margin + std::string(trimmed(argument.substr(end)))));
    } catch (const std::runtime_error& e) {
      return refuse(printable(message_of(e)));
    }
  }

  // Ctrl-C ends a run that takes too long, and nothing else.
  bool change_to(WhatIf::Changes changes) {
    BackgroundWork background;
    const bool backward = navigator_.has_backward();
    bool taken_back = changes.size() < navigator_.changes();
    background.start([&]() -> BackgroundWork::Continuation {
      const auto outcome = std::make_shared<Navigator::Outcome>(navigator_.run(changes, backward));
      return [this, outcome] { navigator_.adopt(std::move(*outcome)); };
    });
    try {
      input_.wait_for(background.fd());
    } catch (const Interrupted& e) {
      if (e.signal != SIGINT) throw;
      background.stop();
      while (!background.is_done(1000)) {
      }
      input_.forgive(e.signal);
    }
    try {
      if (!background.finish()) return refuse("Stopped: nothing has changed.");
    } catch (const std::exception& e) {
      return refuse(printable(message_of(e)));
    }
    if (!taken_back) report();
    return true;
  }

  bool show_enclosing_definitions() {
    text_.clear();
    for (const Line& line : enclosing_definition_lines(navigator_.recording(), navigator_.step()))
      text_ += plain_text(line) + "\n";
    if (text_.empty())
      return refuse("The lines of this step are a part of no class: they ran by themselves.");
    left_ = text_;
    go_on();
    return false;
  }

  bool show_words(const std::string& word) {
    text_ = words_text(navigator_.recording(), navigator_.step(), word, width(), options_.speak);
    left_ = text_;
    go_on();
    return false;
  }

  // Opens a number of this step, or STEP:TENSOR[i,j] of a different step.
  bool open(const std::string& cell) {
    if (cell.empty()) return refuse("why needs a number: why TENSOR[i,j], counted from 0.");
    const Recording& recording = navigator_.recording();
    try {
      const Address address = find_cell(recording, cell, &navigator_.step());
      text_ = options_.speak
                  ? why::cell_spoken(recording, address)
                  : why::text_of(why::explain(recording, address, {.writing = {.columns = width()}}));
      left_ = text_;
      go_on();
      return false;
    } catch (const UsageError& e) {
      return refuse(printable(e.what()));
    }
  }

  void report() {
    for (const std::string& sentence : differences_text(navigator_.recording())) say(sentence);
  }

  bool refuse(const std::string& why) {
    say(why);
    return false;
  }

  // Returns the width for text: never more than elsewhere.
  size_t width() const {
    const size_t columns = options_.terminal ? out_.screen().columns : 0;
    return columns < kFewestColumns ? kWidth : std::min(columns - 1, kWidth);
  }

  // Writes what is left; on a terminal as many lines as fit above the prompt, but at least one.
  void go_on() {
    const auto [lines, columns] = options_.terminal ? out_.screen() : Output::Screen();
    size_t end = left_.size();
    if (lines >= kFewestLines) {
      size_t taken = lines_taken(kMorePrompt + prompt_text(), columns);
      end = 0;
      while (end < left_.size()) {
        const size_t next = std::min(left_.find('\n', end), left_.size() - 1) + 1;
        taken += lines_taken(left_.substr(end, next - end - 1), columns);
        if (taken > lines && end > 0) break;
        end = next;
      }
    }
    out_.write(left_.substr(0, end));
    left_.remove_prefix(end);
  }

  // Returns how many lines of the screen a line of text takes: a line that is too wide is wrapped.
  static size_t lines_taken(std::string_view line, size_t columns) {
    const size_t taken = columns_of(line);
    return columns < kFewestColumns || taken == 0 ? 1 : (taken + columns - 1) / columns;
  }

  Navigator& navigator_;
  const LessonContext& context_;
  const LineModeOptions& options_;
  Input& input_;
  Output& out_;
  Command last_{"next", ""};
  std::string text_;
  std::string_view left_;  // the part of text_ that is not shown yet
};

}  // namespace

void step_by_lines(Navigator& navigator, const LessonContext& context, const LineModeOptions& options,
                   Input& input, Output& out) {
  TypedLines lines(navigator, context, options, input, out);
  bool moved = true, going = true;
  while (going) {
    if (moved) {
      context.arrived();
      lines.show();
    }
    lines.prompt();
    out.flush();
    const std::optional<std::string> line = input.line();
    if (!line && options.terminal) lines.say("");
    moved = false;
    going = line && lines.answer(trimmed(*line), moved);
  }
}

}  // namespace glassgrad::learn
