#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

#include "apps/lesson/difference.h"
#include "apps/show/markdown.h"
#include "apps/show/render.h"

namespace glassgrad::learn {
namespace {

// A reader wants a matrix whole and a stack of matrices by example: a taller text is cut to its first blocks.
constexpr ptrdiff_t kTallest = 30, kShown = 16;
constexpr ptrdiff_t kWorthALink = 3;  // lines but one

std::string fenced(std::string_view language, std::string_view text) {
  return fmt::format("```{}\n{}\n```\n\n", language, text);
}

// 1 of "heads.1.keys"; nothing where the name counts no part.
std::optional<int> part(std::string_view name) {
  for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    const size_t end = name.find_first_not_of("0123456789", dot + 1);
    if (end != name.npos && end > dot + 1 && name[end] == '.')
      return std::stoi(std::string(name.substr(dot + 1, end - dot - 1)));
  }
  return {};
}

// Two heads are shown side by side; of more, the first stands for all.
bool has_many_parts(const Step& step) {
  return std::any_of(step.entries.begin(), step.entries.end(),
                     [](const Entry& entry) { return part(entry.name).value_or(0) > 1; });
}

// The text, or its first blocks, "..." and its last line, which names the grad_fn.
std::string shortened(const std::string& text) {
  if (std::count(text.begin(), text.end(), '\n') < kTallest) return text;
  size_t block = 0, line = 0;  // where the shown part may end
  for (ptrdiff_t i = 0; i < kShown; ++i) {
    const size_t next = text.find('\n', line + 1);
    if (next == line + 1) block = line;
    line = next;
  }
  const size_t last = text.rfind('\n');
  return fmt::format("{}\n{}...{}", text.substr(0, block > 0 ? block : line), block > 0 ? "\n " : " ",
                     text.substr(last));
}

// Writes steps one after another, and remembers what it has shown: a tensor that comes again unchanged is a
// link to the step where it stands.
class Pages {
 public:
  explicit Pages(const Recording& recording) : recording_(recording) {}

  std::string step(const Step& step) {
    std::string text =
        fmt::format("<a id=\"{}\"></a>\n\n### {}. {}\n\n", step.id, step.number, prose(step.title));
    for (const std::string& sentence : step.sentences) text += prose(sentence) + "\n";
    text += "\n";
    for (const Formula& formula : step.formulas) text += fenced("math", formula.latex);
    if (!step.code.empty()) text += fenced("python", fmt::format("{}", fmt::join(step.code, "\n")));
    return text + tensors(step);
  }

 private:
  std::string tensors(const Step& step) {
    const bool many = has_many_parts(step);
    bool cut = false;
    std::string text;
    for (size_t i = 0; i < step.entries.size(); ++i) {
      const Entry& entry = step.entries[i];
      if (many && !entry.printed && part(entry.name).value_or(0) > 0) continue;
      cut = cut || (!entry.printed && shortened(entry.print_text()) != entry.print_text());
      std::string lines;  // that the source prints below the tensor
      while (entry.printed && i + 1 < step.entries.size() && !step.entries[i + 1].value)
        lines += "\n" + step.entries[++i].print_text();
      text += tensor(step, entry, lines);
      if (entry.changed) text += fmt::format("*Changed: {}.*\n\n", prose(difference_text(entry)));
    }
    if (many || cut)
      text += fmt::format("{}. All numbers: `{} --plain --from {} --to {}`\n\n",
                          many ? "Of many alike the first is shown" : "Long texts are cut",
                          command_of(recording_), step.id, step.id);
    return text;
  }

  std::string tensor(const Step& step, const Entry& entry, std::string_view lines) {
    const std::string text = entry.print_text();
    if (!entry.value) return fmt::format("Printed:\n\n{}", fenced("", fmt::format("{}{}", text, lines)));
    std::string head = fmt::format("**`{}`**", entry.name);
    if (entry.value->shape().n > 0) head += " " + escaped(shape_text(entry));
    if (std::count(text.begin(), text.end(), '\n') >= kWorthALink) {
      const auto [place, is_new] = shown_.try_emplace(text, FirstShown{&step, entry.name});
      const auto& [at, name] = place->second;
      if (!is_new && !entry.printed)
        return fmt::format("{}: as {} [step {}](#{}).\n\n", head,
                           name == entry.name ? "in" : fmt::format("`{}` in", name), at->number, at->id);
    }
    if (entry.printed) return head + ", printed:\n\n" + fenced("", fmt::format("{}{}", text, lines));
    return head + "\n\n" + fenced("", shortened(text));
  }

  struct FirstShown {
    const Step* step;
    std::string name;
  };
  const Recording& recording_;
  std::unordered_map<std::string, FirstShown> shown_;  // by the text
};

bool prints_something(const Recording& recording) {
  for (const Step& step : recording.steps)
    for (const Entry& entry : step.entries)
      if (entry.printed) return true;
  return false;
}

// How to run what the page shows, padded so that the remarks stand below each other.
std::string how_to_run(const Recording& recording) {
  const std::string run = command_of(recording);
  const bool walkthrough = recording.lesson->group == Group::Walkthrough;
  std::string text = "```\n";
  const auto line = [&](const char* flag, std::string_view what) {
    text += fmt::format("{:<{}}  # {}\n", run + flag, run.size() + 10, what);
  };
  line("", "step by step on a terminal");
  if (prints_something(recording))
    line(" --outputs",
         fmt::format("what {} prints, to the character", walkthrough ? "the source" : "PyTorch"));
  text += "```\n\n";
  std::vector<std::string> flags;
  for (const Parameter& parameter : recording.lesson->parameters)
    flags.push_back(fmt::format("`{}`", parameter.flag));
  const std::string own = walkthrough                ? "and `--inputs`, `--weights`, `--tokens` for your own"
                          : recording.lesson->inputs ? "and `--inputs`, `--tokens` for your own"
                                                     : "";
  if (!own.empty()) flags.push_back(own);
  return text + fmt::format("To change the numbers: {}.\n\n", fmt::join(flags, ", "));
}

std::string follows(const Lesson& lesson) {
  if (lesson.group == Group::Walkthrough)
    return fmt::format("This chapter follows the walkthrough \"{}\" in words of its own.",
                       escaped(lesson.source));
  if (lesson.group == Group::Sources) return "This chapter reads five walkthroughs beside each other.";
  return "This chapter answers one question.";
}

std::string opening_of_chapter(const Recording& recording) {
  const Lesson& lesson = *recording.lesson;
  if (!lesson.has_chapter)
    return fmt::format(
        "# {}\n\n*Generated by `{} --format markdown`: every number was computed in that run.*\n\n",
        escaped(lesson.source), command_of(recording));
  return fmt::format(
             "# {0}\n\n"
             "*Generated by `{1} --format markdown`: every number was computed in that run.{6}*\n\n"
             "You will understand {2}. About {3} minutes.\n\n"
             "{4}{5} Each is a tensor as PyTorch prints it, under\nits name and what its dimensions count.\n\n",
             escaped(lesson.source), command_of(recording), prose(lesson.understand), lesson.minutes,
             follows(lesson),
             prints_something(recording)
                 ? fmt::format(" A block marked *printed* is what the\n{} prints; the others "
                               "are the values on the way.",
                               lesson.group == Group::Walkthrough ? "source's code" : "code")
                 : " The blocks are the values on the way.",
             recording.flags.empty() ? " `make docs` writes it anew." : "") +
         how_to_run(recording);
}

std::string contents(Steps steps) {
  std::string text = "## Contents\n", section;
  if (steps.front().section.empty()) text += "\n";
  for (const Step& step : steps) {
    if (step.section != section) text += fmt::format("\nSection {}\n\n", step.section);
    section = step.section;
    text += fmt::format("{}. [{}](#{})\n", step.number, prose(step.title), step.id);
  }
  return text + "\n";
}

// Where a reader goes from here.
std::string end_of_chapter(const Lesson& lesson) {
  const std::span<const Lesson* const> all = lessons();
  const auto next = std::find(all.begin(), all.end(), &lesson) + 1;
  const std::string index = "[All chapters](README.md)";
  if (next == all.end()) return index + "\n";
  return fmt::format("Next: [{}]({}.md). {}\n", escaped((*next)->source), (*next)->id, index);
}

}  // namespace

void render_markdown(const Recording& recording, Steps steps, Output& out) {
  const bool whole = steps.size() == recording.steps.size();
  if (whole) out.write(opening_of_chapter(recording) + contents(steps));
  Pages pages(recording);
  std::string section;
  for (const Step& step : steps) {
    if (whole && step.section != section) out.write(fmt::format("## Section {}\n\n", step.section));
    section = step.section;
    out.write(pages.step(step));
  }
  for (const std::string& sentence : differences_text(recording)) out.write(prose(sentence) + "\n\n");
  if (whole && recording.lesson->has_chapter) out.write(end_of_chapter(*recording.lesson));
}

}  // namespace glassgrad::learn
