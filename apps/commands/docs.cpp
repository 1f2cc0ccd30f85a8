// The command `docs`: shows a lesson's chapter or one step, the glossary or one term, for reading.
#include "apps/commands/commands.h"

#include <fmt/core.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "apps/cli/arguments.h"
#include "apps/cli/pager.h"
#include "apps/cli/text_width.h"
#include "apps/commands/elsewhere.h"
#include "apps/lesson/glossary.h"
#include "apps/lesson/lesson_files.h"
#include "apps/lesson/selection.h"
#include "apps/show/reading.h"
#include "apps/show/render.h"
#include "apps/show/step_page.h"
#include "apps/terminal/terminal.h"

namespace glassgrad::docs {
namespace {

struct ChapterAddress {
  std::string_view file, lesson;  // the name as typed, and without folder and ending
  std::optional<std::string> step;
};

// Parses NAME, NAME#STEP, or docs/NAME.md#STEP, the form in a step's footer.
ChapterAddress address_of(std::string_view text) {
  constexpr std::string_view kFolder = "docs/", kEnding = ".md";
  ChapterAddress address;
  const size_t mark = text.find('#');
  if (mark != text.npos) address.step = text.substr(mark + 1);
  address.file = address.lesson = text.substr(0, mark);
  if (address.lesson.starts_with(kFolder)) address.lesson.remove_prefix(kFolder.size());
  if (address.lesson.ends_with(kEnding)) address.lesson.remove_suffix(kEnding.size());
  return address;
}

constexpr std::string_view kGlossary = "glossary";

// Returns Markdown. Throws UsageError if the glossary has no such term.
std::string glossary_or_term(const std::optional<std::string>& name) {
  using namespace learn;
  if (!name) return std::string(glossary_markdown());
  if (const GlossaryTerm* term = term_called(*name))
    return fmt::format("### {}\n\n{}\n", term->title, term->text);
  std::vector<std::string> anchors;
  for (const GlossaryTerm& term : glossary()) anchors.push_back(term.anchor);
  throw UsageError(fmt::format("the glossary has no '{}': did you mean {}? `glassgrad docs glossary` has all",
                               *name, nearest(*name, anchors)));
}

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError if there is no such lesson or step.
  void run(Output& out) const override;

 private:
  static void show(const std::string& markdown, Output& out);

  CLI::Option* address_;
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Learn, "docs",
                 "Read a chapter or the glossary; without NAME, list them",
                 "glassgrad docs journey#masked-scores"),
      address_(add_value(
          "NAME[#STEP]", "",
          "A lesson, or one step of it: journey#masked-scores; glossary, or one word of it: glossary#key")) {}

// Shows the text in the pager, with bold and underlined words if the pager can show them.
void Command::show(const std::string& markdown, Output& out) {
  const char* pager = std::getenv("PAGER");
  const char* less = std::getenv("LESS");
  const bool is_less = !pager || std::string_view(pager).starts_with("less");
  const bool shows_styles = is_less && (!less || std::string_view(less).find('R') != std::string_view::npos);
  const size_t columns = out.screen().columns;
  const size_t width = columns < 40 ? learn::kWidth : std::min(columns - 1, learn::kWidestText);
  const Palette palette = out.is_terminal() && shows_styles ? palette_of_terminal() : Palette::None;
  through_pager(
      [&](Output& to) {
        for (const Line& line : learn::reading_lines(markdown, width)) {
          if (palette == Palette::None)
            to.write(plain_text(line) + "\n");
          else
            to.control(paint(line, columns_of(plain_text(line)), palette) + "\n");
        }
      },
      out);
}

void Command::run(Output& out) const {
  using namespace learn;
  const auto text = given(address_);
  if (!text) {
    render_lessons("Read one: glassgrad docs", out);
    return out.write("What a word means: glassgrad docs glossary\n");
  }
  const auto [file, name, step] = address_of(*text);
  if (name == kGlossary) return show(glossary_or_term(step), out);
  const bool own = is_lesson_file(file) && !lesson_called(name);
  const Lesson& lesson = lesson_or_elsewhere(own ? file : name);
  const Recording recording = record(lesson, Settings(lesson, {}));
  const Steps steps = step ? find_steps(recording, *step) : Steps(recording.steps);
  show(markdown_of(recording, steps, MarkdownFor::Terminal), out);
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::docs
