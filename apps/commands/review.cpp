// The command `review`: asks again what the learner missed.
#include "apps/stepper/review.h"

#include <unistd.h>

#include "apps/cli/arguments.h"
#include "apps/cli/command_line.h"
#include "apps/cli/text_width.h"
#include "apps/commands/commands.h"
#include "apps/stepper/progress.h"
#include "engine/core/error.h"
#include "engine/io/file.h"

namespace glassgrad::review {
namespace {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError if flags exclude each other or a file cannot be written.
  void run(Output& out) const override;

 private:
  CLI::Option* export_;
  bool reset_ = false;
};

void write_to(const std::string& path, const std::string& text) {
  try {
    OutputFile file(path);
    file.write(text.data(), text.size());
    file.commit();
  } catch (const Error& e) {
    fail<UsageError>("{}", e.what());
  }
}

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Learn, "review", "Ask again what you missed, after 1, 3 and 7 days",
                 "glassgrad review"),
      export_(add_value("--export", "FILE", "Write your progress there, as JSON; - for the output")) {
  add_flag("--reset", reset_, "Forget your progress: places, steps seen, answers");
}

void Command::run(Output& out) const {
  const auto file = given(export_);
  check<UsageError>(!file || !reset_, "--export and --reset exclude each other: export first");
  check<UsageError>(!file || !file->empty(), "--export takes the path of a file, not ''");
  learn::Progress progress(true);
  check<UsageError>(!progress.path().empty(),
                    "there is no folder for your progress: set HOME or XDG_STATE_HOME");
  if (file) {
    if (*file == "-") return out.write(progress.text());
    write_to(*file, progress.text());
    return out.write(fmt::format("Your progress is in {}.\n", printable(*file)));
  }
  if (reset_) {
    const std::string problem = progress.reset();
    check<UsageError>(problem.empty(), "{}", problem);
    return out.write("Your progress is forgotten.\n");
  }
  const bool terminal = out.is_terminal() && ::isatty(STDIN_FILENO) == 1;
  learn::review(progress, learn::today(), terminal, out);
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::review
