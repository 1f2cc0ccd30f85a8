// Turns a program's run into the steps of a lesson, so that everything that shows a lesson can show the run.
#include <fmt/core.h>

#include <algorithm>
#include <map>

#include "apps/cli/text_width.h"
#include "apps/lesson/markdown.h"
#include "apps/lesson/phrases.h"
#include "apps/python/glass/run.h"
#include "engine/core/error.h"
#include "engine/core/utf8.h"

namespace glassgrad::python {
namespace {

using learn::Recording, learn::Step;

constexpr int kAround = 2;            // lines shown before and after a statement
constexpr int kMostOfStatement = 12;  // lines of a statement
constexpr size_t kMostPrinted = 60;   // lines

std::string ordinal(size_t n) {
  const size_t tens = n % 100;
  const char* const end = tens >= 11 && tens <= 13 ? "th"
                          : n % 10 == 1            ? "st"
                          : n % 10 == 2            ? "nd"
                          : n % 10 == 3            ? "rd"
                                                   : "th";
  return fmt::format("{}{}", n, end);
}

class RunStepBuilder {
 public:
  explicit RunStepBuilder(const ScriptRun& run) : run_(run) {
    for (const RunLine& l : run.lines) {
      size_t& most = most_[{l.function, l.line}];
      most = std::max(most, l.turn);
    }
  }

  std::vector<Step> steps() {
    std::vector<Step> all;
    for (const RunLine& l : run_.lines) {
      Step& step = all.emplace_back(step_of(l));
      step.number = step.main_number = int(all.size());
    }
    for (const RunBackwardPass& pass : run_.passes) {
      Step& step = all[pass.line];
      const std::string name = name_of(pass.from, pass.line);
      step.sentences.push_back(
          fmt::format("A backward pass starts from `{}` and takes {}. B shows it, a step for each node.",
                      name, learn::counted(int64_t(pass.last.backward - pass.first.backward), "node")));
    }
    return all;
  }

  // Returns the name that the program gave the value when it was made; "loss" if it had none.
  std::string name_of(const learn::Value& value, size_t before) const {
    for (size_t k = std::min(before + 1, run_.lines.size()); k-- > 0;)
      for (const NamedValue& v : run_.lines[k].values)
        if (v.value.made_by == value.made_by && v.value.nr == value.nr && same_elements(v.value, value))
          return v.name;
    return "loss";
  }

 private:
  const RunFunction& function(size_t k) const { return run_.functions[k]; }
  const RunFile& file(const RunLine& l) const { return run_.files[function(l.function).file]; }

  // Returns "line 57", or "line 57 of train.py" if that is a different file.
  std::string place(const RunLine& here, size_t there, int line) const {
    const bool same = function(there).file == function(here.function).file;
    return fmt::format("line {}{}", line, same ? "" : " of " + run_.files[function(there).file].name);
  }

  Step step_of(const RunLine& l) {
    const RunFunction& in = function(l.function);
    const RunFile& f = file(l);
    Step step;
    step.id = fmt::format("{}-{}{}", f.stem, l.line, l.turn > 1 ? fmt::format(".{}", l.turn) : "");
    step.section = in.name.empty() ? f.name : fmt::format("{} {}", f.name, in.name);
    step.file = f.name;
    step.line = l.line, step.last_line = l.last;
    step.first_call = l.first_call;
    step.title = title_of(l);
    step.sentences = sentences_of(l);
    add_code(step, l);
    step.outputs = l.printed;
    add_printed(step, l.printed);
    for (const NamedValue& v : l.values)
      step.entries.push_back({.name = printable(v.name), .value = v.value, .label = {}});
    return step;
  }

  std::string title_of(const RunLine& l) const {
    if (l.is_entry) return fmt::format("{} is called", function(l.function).name);
    const auto& lines = file(l).lines;
    std::string text = size_t(l.line) <= lines.size() ? printable(trimmed(lines[size_t(l.line) - 1])) : "";
    constexpr size_t kWidest = 70;
    if (columns_of(text) > kWidest) text = cut(text, kWidest);
    return text.empty() ? fmt::format("Line {}", l.line) : text;
  }

  std::vector<std::string> sentences_of(const RunLine& l) const {
    std::vector<std::string> all;
    const std::string& name = function(l.function).name;
    if (l.is_entry)
      all.push_back(l.caller == RunLine::kNobody
                        ? fmt::format("The call of `{}` begins. Its parameters:", name)
                        : fmt::format("The call of `{}` by {} begins. Its parameters:", name,
                                      place(l, l.caller, l.called_at)));
    else if (l.caller != RunLine::kNobody)
      all.push_back(fmt::format("In `{}`, called by {}.", name, place(l, l.caller, l.called_at)));
    for (const Round& r : l.rounds ? *l.rounds : std::vector<Round>())
      all.push_back(fmt::format("Round {} of the loop in line {}{}.", r.number, r.loop,
                                r.variables.empty() ? "" : fmt::format(" (`{}`)", printable(r.variables))));
    if (const size_t most = most_.at({l.function, l.line}); most > 1 && !l.rounds)
      all.push_back(fmt::format("The {} of {} times that this line did something.", ordinal(l.turn), most));
    for (const NamedValue& v : l.values) {
      if (v.name == "return") all.emplace_back("`return` is what the call gives back.");
      if (v.shared_with.empty()) continue;
      all.push_back(
          v.is_same
              ? fmt::format("`{}` and `{}` are two names for the same numbers.", v.name, v.shared_with)
              : fmt::format("`{}` looks at the memory of `{}`: whatever is written to one changes the other.",
                            v.name, v.shared_with));
    }
    return all;
  }

  // Adds the marked statement with the lines around it.
  void add_code(Step& step, const RunLine& l) const {
    const auto& lines = file(l).lines;
    const int end = int(lines.size()), last = std::min({l.last, l.line + kMostOfStatement - 1, end});
    learn::CodeBlock block{.inside = {}, .raised = printable_lines(l.raised)};
    const size_t width = std::to_string(std::min(last + kAround, end)).size();
    for (int k = std::max(1, l.line - kAround); k <= std::min(last + kAround, end); ++k)
      step.code.push_back(fmt::format("{:>{}} {} {}", k, width, k >= l.line && k <= last ? '>' : ' ',
                                      printable(lines[size_t(k) - 1])));
    for (std::string& line : step.code) line.erase(line.find_last_not_of(' ') + 1);
    block.count = step.code.size();
    step.code_blocks.push_back(std::move(block));
  }

  static std::string printable_lines(std::string_view text) {
    std::string all;
    for (; !text.empty(); text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1)) {
      if (!all.empty()) all += '\n';
      all += printable(text.substr(0, text.find('\n')));
    }
    return all;
  }

  static void add_printed(Step& step, std::string_view text) {
    if (text.empty()) return;
    size_t lines = 0, end = 0;
    while (end < text.size() && lines < kMostPrinted) {
      end = std::min(text.find('\n', end), text.size() - 1) + 1;
      ++lines;
    }
    const auto more = std::count(text.begin() + std::ptrdiff_t(end), text.end(), '\n');
    std::string shown = printable_lines(text.substr(0, end));
    if (end < text.size()) shown += fmt::format("\n… and {} more", learn::counted(more, "line"));
    step.entries.push_back({.name = {}, .value = {}, .printed = true, .label = std::move(shown)});
  }

  const ScriptRun& run_;
  std::map<std::pair<size_t, int>, size_t> most_;  // the highest turn of each line
};

}  // namespace

Recording recording_of(const ScriptRun& run, const learn::Lesson& lesson) {
  check(!run.lines.empty(), "{} has done nothing to a tensor, so there is nothing to show", lesson.own_file);
  Recording recording;
  recording.lesson = &lesson;
  recording.trace = run.trace;
  recording.own_passes = true;
  recording.before = run.before;
  recording.given.id = "given";
  recording.given.entries = run.given;
  RunStepBuilder builder(run);
  recording.steps = builder.steps();
  for (const RunBackwardPass& pass : run.passes)
    recording.passes.push_back({.name = builder.name_of(pass.from, pass.line),
                                .sum_of = {},
                                .step = pass.line,
                                .value = pass.from,
                                .first = pass.first,
                                .last = pass.last});
  recording.no_loss = fmt::format("{} has started no backward pass that was recorded", lesson.own_file);
  for (const RunFile& f : run.files) recording.files[f.name] = f.lines;
  if (!run.remarks.empty())
    for (const std::string& remark : run.remarks)
      recording.steps.back().sentences.push_back(learn::prose(remark));
  return recording;
}

}  // namespace glassgrad::python
