// The command `docs`: a lesson's chapter, or a step of it, for reading.
#include "apps/commands/commands.h"

#include <string_view>

#include "apps/cli/arguments.h"
#include "apps/cli/pager.h"
#include "apps/lesson/lesson_files.h"
#include "apps/lesson/selection.h"
#include "apps/show/render.h"

namespace glassgrad::docs {
namespace {

struct ChapterAddress {
  std::string_view file, lesson;  // as it was typed, and without folder and ending
  std::optional<std::string> step;
};

// NAME, NAME#STEP, or as a step's footer has it: docs/NAME.md#STEP.
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

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError: no such lesson or step.
  void run(Output& out) const override;

 private:
  CLI::Option* address_;
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Learn, "docs",
                 "Read a lesson's chapter; without NAME, list the chapters",
                 "glassgrad docs journey#masked-scores"),
      address_(add_value("NAME[#STEP]", "", "A lesson, or one step of it: journey#masked-scores")) {}

void Command::run(Output& out) const {
  using namespace learn;
  const auto text = given(address_);
  if (!text) return render_lessons("Read one: glassgrad docs", out);
  const auto [file, name, step] = address_of(*text);
  const bool own = is_lesson_file(file) && !lesson_called(name);
  const Lesson& lesson = own ? find_lesson_or_file(file) : find_lesson(name);
  const Recording recording = record(lesson, Settings(lesson, {}));
  const Steps steps = step ? find_steps(recording, *step) : Steps(recording.steps);
  through_pager([&](Output& to) { render_markdown(recording, steps, to); }, out);
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::docs
