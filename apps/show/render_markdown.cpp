#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <unordered_map>

#include "apps/lesson/difference.h"
#include "apps/lesson/document.h"
#include "apps/lesson/markdown.h"
#include "apps/show/render.h"
#include "apps/show/sentences.h"
#include "engine/core/joined.h"
#include "engine/core/utf8.h"

namespace glassgrad::learn {
namespace {

// A matrix is shown whole. Of a stack of matrices, an example is enough: a text taller than kTallest is cut
// to its first blocks.
constexpr ptrdiff_t kTallest = 30, kShown = 16;
constexpr ptrdiff_t kWorthALink = 3;  // line feeds in a text

std::string fenced(std::string_view language, std::string_view text) {
  return fmt::format("```{}\n{}\n```\n\n", language, text);
}

// Returns 1 for "heads.1.keys"; nothing if the name has no number.
std::optional<int> part(std::string_view name) {
  for (size_t dot = name.find('.'); dot != name.npos; dot = name.find('.', dot + 1)) {
    const size_t end = name.find_first_not_of("0123456789", dot + 1);
    if (end != name.npos && end > dot + 1 && name[end] == '.')
      return std::stoi(std::string(name.substr(dot + 1, end - dot - 1)));
  }
  return {};
}

// Two heads are both shown; of more heads, only the first.
bool has_many_parts(const Step& step) {
  return std::any_of(step.entries.begin(), step.entries.end(),
                     [](const Entry& entry) { return part(entry.name).value_or(0) > 1; });
}

// Returns the text, or its first blocks, "..." and its last line, which names the grad_fn.
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

// Turns names of header files in a chapter into links. The chapter is in docs/, so the links begin with
// "../".
std::string with_links(const std::string& text) {
  constexpr std::string_view kBegin = "`nn/", kEnd = ".h`";
  std::string linked;
  size_t done = 0;
  for (size_t at = 0; (at = text.find(kBegin, at)) != text.npos;) {
    const size_t end = text.find('`', at + 1);
    if (end == text.npos) break;
    const std::string quoted(text.substr(at, end + 1 - at));
    if (quoted.ends_with(kEnd) && quoted.find(' ') == quoted.npos) {
      linked += text.substr(done, at - done);
      linked += fmt::format("[{}](../{})", quoted, quoted.substr(1, quoted.size() - 2));
      done = end + 1;
    }
    at = end + 1;
  }
  return linked + std::string(text.substr(done));
}

// Makes each sentence a paragraph, and keeps the points of a list together.
std::string paragraphs(std::span<const std::string> sentences) {
  std::string text;
  for (size_t i = 0; i < sentences.size(); ++i) {
    const bool list_goes_on =
        i + 1 < sentences.size() && sentences[i].starts_with(kPoint) && sentences[i + 1].starts_with(kPoint);
    text += normal_markdown(sentences[i]) + (list_goes_on ? "\n" : "\n\n");
  }
  return text;
}

std::string heading_of(const Step& step) { return step.heading.empty() ? prose(step.title) : step.heading; }

// Returns the line above a code block that is not simply the program's own.
std::string head_of(const Recording& recording, const Step& step, const CodeBlock& block) {
  if (block.whose == Whose::Wrong) return fmt::format("*Wrong:* {}:\n\n", normal_markdown(block.mistake));
  std::string whose = whose_text(recording, step, block);
  if (whose.empty()) return whose;
  whose[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(whose[0])));
  if (block.inside.empty()) return fmt::format("*{}:*\n\n", whose);
  return fmt::format("*{}* `{}`:\n\n", whose.substr(0, whose.size() - block.inside.size() - 1), block.inside);
}

std::string code_of(const Recording& recording, const Step& step) {
  std::string text;
  for (const CodeBlock& block : step.blocks()) {
    std::string code = joined(step.lines(block), "\n");
    if (block.whose == Whose::Wrong)
      for (const auto& [k, right] : block.edited) code += fmt::format("\n# right: {}", trimmed(right));
    text += head_of(recording, step, block) + fenced("python", code);
    if (!block.raised.empty()) text += "It ends with\n\n" + fenced("", block.raised);
  }
  return text;
}

// Returns "*our print*", for after the name of a value or before printed lines.
std::string mark_of(const Recording& recording, const Entry& entry) {
  const std::string whose = whose_text(recording, entry);
  return whose.empty() ? "" : fmt::format("*{}*", whose);
}

// Writes steps one after the other, and remembers the tensors it has shown: a tensor that appears again
// unchanged becomes a link to the first step that shows it.
class Pages {
 public:
  Pages(const Recording& recording, MarkdownFor reader) : recording_(recording), reader_(reader) {}

  std::string step(const Step& step) {
    std::string text = fmt::format("<a id=\"{}\"></a>\n\n{} {}. {}\n\n", step.id,
                                   step.is_inside() ? "####" : "###", step.place(), heading_of(step));
    text += prose_of(step.said_before());
    for (const Formula& formula : step.formulas)
      text += reader_ == MarkdownFor::Pages ? fenced("math", formula.latex) : fenced("", formula.text);
    return text + code_of(recording_, step) + tensors(step) + prose_of(step.said_after());
  }

 private:
  std::string prose_of(std::span<const std::string> sentences) const {
    const std::string text = paragraphs(sentences);
    return reader_ == MarkdownFor::Pages && recording_.lesson->has_chapter ? with_links(text) : text;
  }

  std::string tensors(const Step& step) {
    const bool many = has_many_parts(step);
    bool cut = false;
    std::string text;
    for (size_t i = 0; i < step.entries.size(); ++i) {
      const Entry& entry = step.entries[i];
      if (many && !entry.printed && part(entry.name).value_or(0) > 0) continue;
      cut = cut || (!entry.printed && shortened(entry.print_text()) != entry.print_text());
      std::string lines;  // the lines that the source prints below the tensor
      while (entry.printed && i + 1 < step.entries.size() && !step.entries[i + 1].value &&
             step.entries[i + 1].whose == entry.whose)
        lines += "\n" + step.entries[++i].print_text();
      text += tensor(step, entry, lines);
      if (entry.changed) text += fmt::format("*Changed: {}.*\n\n", prose(difference_text(entry)));
    }
    if (many || cut)
      text += fmt::format("{}. All numbers: `{} --plain --from {} --to {}`\n\n",
                          many ? "Only the first of many heads or layers is shown" : "Long tables are cut",
                          command_of(recording_), step.id, step.id);
    return text;
  }

  std::string tensor(const Step& step, const Entry& entry, std::string_view lines) {
    const std::string text = entry.print_text();
    if (!entry.value) return fenced("", fmt::format("{}{}", text, lines));
    std::string head = fmt::format("**`{}`**", entry.name);
    if (entry.value->shape().n > 0) head += " " + escaped(shape_text(entry));
    if (std::count(text.begin(), text.end(), '\n') >= kWorthALink) {
      const auto [place, is_new] = shown_.try_emplace(text, FirstShown{&step, entry.name});
      const auto& [at, name] = place->second;
      if (!is_new && !entry.printed)
        return fmt::format("{}: as {} [step {}](#{}).\n\n", head,
                           name == entry.name ? "in" : fmt::format("`{}` in", name), at->place(), at->id);
    }
    if (const std::string mark = mark_of(recording_, entry); !mark.empty()) head += ", " + mark;
    if (entry.printed) return head + "\n\n" + fenced("", fmt::format("{}{}", text, lines));
    return head + "\n\n" + fenced("", shortened(text));
  }

  struct FirstShown {
    const Step* step;
    std::string name;
  };
  const Recording& recording_;
  const MarkdownFor reader_;
  std::unordered_map<std::string, FirstShown> shown_;  // key: the tensor's text
};

bool has(const Recording& recording, std::initializer_list<Whose> any) {
  const auto is_one = [&](const auto& x) { return std::find(any.begin(), any.end(), x.whose) != any.end(); };
  return std::any_of(recording.steps.begin(), recording.steps.end(), [&](const Step& step) {
    return std::any_of(step.entries.begin(), step.entries.end(), is_one) ||
           std::any_of(step.code_blocks.begin(), step.code_blocks.end(), is_one);
  });
}

// Returns an explanation of the marks of blocks that the chapter uses.
std::string marks_of(const Recording& recording) {
  std::string text =
      "Each block below the code is a tensor as PyTorch prints it, under its name and what its dimensions count.";
  if (recording.lesson->sources == 1) {
    if (has(recording, {Whose::OurPrint}))
      text += " *Our print*: the source computes it and does not print it; we do.";
    if (has(recording, {Whose::Ours, Whose::View})) text += " *Ours* is not in the source: we have added it.";
  }
  if (has(recording, {Whose::Wrong}))
    text += " *Wrong*: lines with a mistake, and what they make; `wrong_` stands before its name.";
  return text;
}

bool prints_something(const Recording& recording) {
  for (const Step& step : recording.steps)
    for (const Entry& entry : step.entries)
      if (entry.printed) return true;
  return false;
}

// Returns the commands that run the page's code, padded so that their remarks are aligned.
std::string how_to_run(const Recording& recording) {
  const std::string run = command_of(recording);
  const bool walkthrough = recording.lesson->sources == 1;
  std::string text = "```\n";
  const auto line = [&](const char* flag, std::string_view what) {
    text += fmt::format("{:<{}}  # {}\n", run + flag, run.size() + 10, what);
  };
  line("", "step by step on a terminal");
  if (prints_something(recording)) line(" --outputs", "what the lesson's program prints, to the character");
  text += "```\n\n";
  std::vector<std::string> flags;
  for (const SettingSpec& spec : recording.lesson->setting_specs)
    flags.push_back(fmt::format("`{}`", spec.flag));
  const std::string own = walkthrough                ? "and `--inputs`, `--weights`, `--tokens` for your own"
                          : recording.lesson->inputs ? "and `--inputs`, `--tokens` for your own"
                                                     : "";
  if (!own.empty()) flags.push_back(own);
  return text + fmt::format("To change the numbers: {}.\n\n", joined(flags, ", "));
}

std::string follows(const Lesson& lesson) {
  if (lesson.sources == 1)
    return fmt::format("This chapter follows the walkthrough \"{}\" in words of its own.",
                       escaped(lesson.source));
  if (lesson.sources > 1) return "This chapter reads five walkthroughs beside each other.";
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
             "{4} {5}\n\n",
             escaped(lesson.source), command_of(recording), prose(lesson.understand), lesson.minutes,
             follows(lesson), marks_of(recording),
             recording.flags.empty() ? " `make docs` writes it anew." : "") +
         how_to_run(recording);
}

std::string contents(Steps steps) {
  std::string text = "## Contents\n", section;
  if (steps.front().section.empty()) text += "\n";
  for (const Step& step : steps) {
    if (step.section != section) text += fmt::format("\n{}\n\n", escaped(step.section));
    section = step.section;
    text += fmt::format("{}{}{} [{}](#{})\n", step.is_inside() ? "    - " : "", step.place(),
                        step.is_inside() ? "" : ".", heading_of(step), step.id);
  }
  return text + "\n";
}

size_t claims_of(const Document& document) {
  size_t count = 0;
  for (const DocumentStep& step : document.steps)
    for (const Item& item : step.items)
      if (const auto* condition = std::get_if<Condition>(&item)) count += condition->claim;
  return count;
}

// Returns the end of a chapter: what was checked, and where to go next.
std::string end_of_chapter(const Lesson& lesson, MarkdownFor reader) {
  // The anchor that GitHub makes for a heading with the lesson's name.
  std::string checked, anchor = lesson.id;
  std::erase(anchor, '.');
  if (lesson.document)
    checked = fmt::format(
        "{} statements of this chapter are claims: every run checks them, and leaves out what does not hold.{}\n\n",
        claims_of(*lesson.document),
        reader == MarkdownFor::Pages ? fmt::format(" [What is stated without a check](claims.md#{})", anchor)
                                     : "");
  const std::span<const Lesson* const> all = lessons();
  const auto next = std::find(all.begin(), all.end(), &lesson) + 1;
  if (reader == MarkdownFor::Terminal)
    return checked + (next == all.end() ? "All chapters: `glassgrad docs`\n"
                                        : fmt::format("Next: `glassgrad docs {}`\n", (*next)->id));
  const std::string index = "[All chapters](README.md)";
  if (next == all.end()) return checked + index + "\n";
  return fmt::format("{}Next: [{}]({}.md). {}\n", checked, escaped((*next)->source), (*next)->id, index);
}

}  // namespace

std::string markdown_of(const Recording& recording, Steps steps, MarkdownFor reader) {
  const bool whole = steps.size() == recording.steps.size();
  std::string text, section;
  if (whole) text = opening_of_chapter(recording) + contents(steps);
  Pages pages(recording, reader);
  for (const Step& step : steps) {
    if (whole && step.section != section) text += fmt::format("## {}\n\n", escaped(step.section));
    section = step.section;
    text += pages.step(step);
  }
  for (const std::string& sentence : differences_text(recording)) text += prose(sentence) + "\n\n";
  if (whole && recording.lesson->has_chapter) text += end_of_chapter(*recording.lesson, reader);
  return text;
}

void render_markdown(const Recording& recording, Steps steps, Output& out) {
  out.write(markdown_of(recording, steps, MarkdownFor::Pages));
}

}  // namespace glassgrad::learn
