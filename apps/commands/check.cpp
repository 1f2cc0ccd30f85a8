// The command `check`: compares every lesson's output with its source's output.
#include "apps/commands/commands.h"

#include <fmt/core.h>

#include <filesystem>
#include <vector>

#include "apps/ask/lesson_flags.h"
#include "apps/cli/arguments.h"
#include "apps/cli/device.h"
#include "apps/cli/text_width.h"
#include "apps/prove/source_checksums.h"
#include "apps/text/text_file.h"

namespace glassgrad::checking {
namespace {

using learn::Lesson;

constexpr size_t kName = 20;

std::vector<const Lesson*> chosen(const std::optional<std::string>& id) {
  if (id) return {&learn::find_lesson(*id)};
  return {learn::lessons().begin(), learn::lessons().end()};
}

std::vector<StepChecksum> known_of(const Lesson& lesson) {
  std::vector<StepChecksum> known;
  for (const StepChecksum& c : checksums())
    if (std::string_view(lesson.id) == c.lesson) known.push_back(c);
  return known;
}

std::string text_of(const ChecksumResult& o, const Lesson& lesson) {
  const std::string values = fmt::format("{} of {} printed values", o.same, o.printed);
  if (o.step.empty()) return fmt::format("ok     {}{}\n", left_aligned(lesson.id, kName), values);
  std::string text =
      fmt::format("wrong  {}{}, the first in step {}\n", left_aligned(lesson.id, kName), values, o.step);
  if (o.theirs != o.ours)
    text += fmt::format("         source:    {}\n         this run:  {}\n", printable(o.theirs),
                        printable(o.ours));
  return text;
}

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError if there is no such lesson or folder. Throws Error if a file cannot be read, or if a
  // lesson prints something different from its source; it names the first lesson and step that differ.
  void run(Output& out) const override;

 private:
  CLI::Option *lesson_, *source_, *device_;
};

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Prove, "check", "Compare every lesson with what its source printed",
                 "glassgrad check"),
      lesson_(add_value("LESSON", "", "This lesson only")),
      source_(add_value("--source", "DIR",
                        "Compare with texts of your own, DIR/LESSON.txt, and show where they differ (the "
                        "program holds checksums of what PyTorch 2.6 prints for the sources' code)")),
      device_(add_value("--device", "NAME", kDevices)) {}

void Command::run(Output& out) const {
  const std::optional<std::string> id = given(lesson_), folder = given(source_);
  std::error_code ignored;
  check<UsageError>(!folder || std::filesystem::is_directory(*folder, ignored), "--source: '{}' is no folder",
                    folder.value_or(""));
  const DefaultDevice device = use_device(device_);
  size_t wrong = 0, compared = 0;
  std::string first;
  for (const Lesson* lesson : chosen(id)) {
    const std::vector<StepChecksum> known = known_of(*lesson);
    ChecksumResult result;
    if (folder) {
      const std::string path = fmt::format("{}/{}.txt", *folder, lesson->id);
      if (!id && !std::filesystem::exists(path, ignored)) continue;
      result = compare(learn::as_it_is(*lesson).recording(), read_file(path, kMaxDescription));
    } else {
      result = compare(learn::as_it_is(*lesson).recording(), known);
      if (known.empty() && result.printed == 0) continue;  // there is no print to compare with
    }
    ++compared;
    out.write(text_of(result, *lesson));
    out.flush();
    if (result.step.empty()) continue;
    if (wrong++ == 0) first = fmt::format("{}, step {}", lesson->id, result.step);
  }
  check<UsageError>(
      compared > 0, "{}",
      folder ? fmt::format("--source: {} holds no LESSON.txt, such as journey.txt", *folder)
             : fmt::format("the lesson {} follows no source: nothing was printed to compare it with",
                           id.value_or("")));
  check(wrong == 0, "{} of {} lessons print something else than their sources, the first {}", wrong, compared,
        first);
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::checking
