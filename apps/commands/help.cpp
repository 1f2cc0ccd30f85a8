// The command `help`: the help of a command, a man page, and the completions that a shell requests.
#include <fmt/core.h>

#include "apps/cli/arguments.h"
#include "apps/cli/manual.h"
#include "apps/cli/version.h"
#include "apps/commands/commands.h"
#include "apps/commands/completion.h"
#include "apps/practice/full_screen.h"
#include "apps/start/player.h"
#include "apps/stepper/full_screen.h"
#include "apps/stepper/list_screen.h"

namespace glassgrad::help {
namespace {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // Throws UsageError. Leaves the help of the named command in history().next.
  void run(Output& out) const override;

 private:
  std::string manual() const;
  void complete(const std::vector<std::string>& words, Output& out) const;

  CLI::Option *words_, *format_;
  bool complete_ = false;
};

std::string one_line(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\t') c = ' ';
  return text;
}

}  // namespace

Command::Command(CLI::App& program)
    : Subcommand(program, CommandGroup::Hidden, "help", "What the program and its commands do",
                 "glassgrad help learn") {
  words_ = add_words("COMMAND", "A command, and the words that follow it");
  format_ = add_value("--format", "FORMAT", "man, bash or zsh: a man page, a script that completes words");
  add_flag("--complete", complete_, "What can stand in the last word's place, a line each; / for files",
           kHidden);
}

std::string Command::manual() const {
  const Section keys{"KEYS", "While you step through a lesson:", key_help(learn::lesson_keys())};
  const Section build_keys{"KEYS OF BUILD", "In an exercise:", key_help(practice::exercise_keys())};
  const Section start_keys{"KEYS OF START", "In the first ten minutes:", key_help(start::start_keys())};
  const Section list_keys{"KEYS OF THE LIST",
                          "In the list of lessons and courses:", key_help(learn::list_keys())};
  const Section environment{
      "ENVIRONMENT",
      "",
      {{"GLASSGRAD_THREADS", "Threads to compute with; --threads comes first."},
       {"GLASSGRAD_CPU", "portable, avx2, avx512 or neon: the instructions to use."},
       {"NO_COLOR", "No colours, where it is set."},
       {"PAGER", "What shows `glassgrad docs` on a terminal; empty: nothing does."},
       {"XDG_STATE_HOME", "Where the program remembers, in glassgrad/, how far you have come."}}};
  const Section status{"EXIT STATUS",
                       "",
                       {{"0", "All went well."},
                        {"1", "A file or a run went wrong, or two things that were compared differ."},
                        {"2", "The command line is wrong."},
                        {"128 + n", "Ended by signal n."}}};
  const Section files{
      "FILES", "", {{"runs/N", "What `glassgrad train` saves; the highest N is the newest run."}}};
  return man_page(program(), glassgrad_version(),
                  {keys, build_keys, start_keys, list_keys, environment, files, status});
}

void Command::complete(const std::vector<std::string>& words, Output& out) const {
  const Completion found = completion_of(program(), words);
  for (const Candidate& candidate : found.candidates)
    out.write(fmt::format("{}\t{}\n", candidate.word, one_line(candidate.what)));
  if (found.files) out.write("/\n");
}

void Command::run(Output& out) const {
  const std::vector<std::string>& words = all_given(words_);
  if (complete_) return complete(words, out);
  if (const auto format = given(format_)) {
    if (*format == "man") return out.write(manual());
    if (*format == "bash") return out.write(kBashCompletion);
    if (*format == "zsh") return out.write(kZshCompletion);
    throw UsageError(fmt::format("--format is man, bash or zsh, not '{}'", *format));
  }
  std::vector<std::string> next = words;
  if (words.empty() || command_called(program(), words[0])) next.push_back("--help");
  history().go({next});
}

std::unique_ptr<Subcommand> command(CLI::App& program) { return std::make_unique<Command>(program); }

}  // namespace glassgrad::help
