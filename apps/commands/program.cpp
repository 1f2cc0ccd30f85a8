#include "apps/commands/program.h"
#include "engine/core/joined.h"

#include <fmt/core.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <span>
#include <utility>

#include "apps/cli/arguments.h"
#include "apps/cli/device.h"
#include "apps/cli/version.h"
#include "apps/commands/commands.h"
#include "apps/commands/elsewhere.h"
#include "apps/page/embedded.h"
#include "apps/stepper/lesson_list.h"
#include "apps/stepper/progress.h"
#include "engine/core/error.h"
#include "engine/gpus.h"

namespace glassgrad {
namespace {

constexpr size_t kColumns = 80;

std::string version_text() {
  const std::string cuda = cuda_version(), reason = why_unavailable({DeviceType::CUDA, 0});
  std::string text = fmt::format("glassgrad {}\ncommit {}\ncompiler {}\ndevices {}\n", glassgrad_version(),
                                 glassgrad_commit(), glassgrad_compiler(), joined(device_names(), ", "));
  if (!cuda.empty())
    text += fmt::format("cuda {}{}\n", cuda, reason.empty() ? "" : fmt::format(", but {}", reason));
  return text + fmt::format("wasm: {}\n", explorer::engine_wasm().empty() ? "no" : "yes");
}

// Passes the words that follow a command's name to the command, before they are parsed.
void prepare(std::span<const std::unique_ptr<Subcommand>> commands, const std::vector<std::string>& words) {
  for (size_t k = 0; k < words.size(); ++k)
    for (const auto& command : commands)
      if (command->app().get_name() == words[k] && words[k] != "help")  // help is about the next word
        return command->prepare({words.begin() + std::ptrdiff_t(k) + 1, words.end()});
}

// Returns the newcomers' help, which fits on a screen. On a terminal, its path shows the learner's progress.
std::string first_help(const CLI::App& app, bool terminal) {
  std::string text = fmt::format("{}\n\n{}\n\n", app.get_footer(), app.get_description());
  for (const char* name : {"start", "learn", "build", "train", "generate", "inspect"})
    text += fmt::format("  {:<10}{}\n", name, app.get_subcommand(name)->get_description());
  text += "\nThe path:\n";
  const learn::Progress progress(terminal);
  const learn::Stop* const present = progress.present();
  for (const std::string& line :
       learn::path_bar(progress, terminal && present ? present->id : "", kColumns - 2))
    text += fmt::format("  {}\n", line);
  return text +
         "\nglassgrad alone goes on along the path where you stopped.\n"
         "glassgrad COMMAND --help: its flags. glassgrad --help-all: all commands.\n";
}

// Returns the visit for `glassgrad` without words: where the learner stopped on the path, or its beginning
// for a newcomer; the list of lessons if all of the path is done.
Visit present_visit() {
  const learn::Stop* const present = learn::Progress(true).present();
  return present ? Visit{present->words} : Visit{{"learn"}};
}

// Runs the command line of history.here.
void run(NavigationHistory& history, Output& out) {
  CLI::App app("Step through attention: every matrix is computed here and printed as PyTorch\nprints it.",
               "glassgrad");
  app.footer("Example: glassgrad learn journey");
  set_help(app);
  app.require_subcommand(0, 1);
  bool version = false;
  app.add_flag("--version", version, "Print version, commit, compiler and devices")->disable_flag_override();
  const std::unique_ptr<Subcommand> commands[] = {
#define COMMAND(NAME) NAME::command(app),
#include "apps/commands/commands.def"
#undef COMMAND
  };
  std::vector<CLI::App*> apps{&app};
  for (const auto& command : commands) apps.push_back(&command->app());
  for (CLI::App* a : apps) a->allow_extras()->set_help_flag("--help,-h", "Print this help");
  app.set_help_all_flag("--help-all", "Print all commands");
  const bool terminal = out.is_terminal() && ::isatty(STDIN_FILENO) == 1;

  std::vector<std::string> words = history.here.words;
  for (const std::string& flag : history.manner) {
    const CLI::App* const command = words.empty() ? nullptr : command_called(app, words[0]);
    if (command && has_option(*command, flag) && std::ranges::count(words, flag) == 0) words.push_back(flag);
  }
  prepare(commands, words);
  try {
    parse(app, words);
    check_is_command(app);
    for (CLI::App* a : apps) check_all_known(*a);
  } catch (const CLI::CallForHelp&) {
    for (const auto& command : commands)
      if (command->app().parsed()) return out.write(command->help());
    return out.write(first_help(app, terminal));
  } catch (const CLI::CallForAllHelp&) {
    return out.write(app.help());
  }
  if (version) return out.write(version_text());
  check_environment();
  for (const auto& command : commands)
    if (command->app().parsed()) {
      for (const char* flag : {"--speak", "--step", "--no-state"})
        if (has_option(command->app(), flag) && command->app().count(flag) > 0 &&
            std::ranges::count(history.manner, flag) == 0)
          history.manner.emplace_back(flag);
      command->come(history);
      return command->run(out);
    }
  if (words.empty() && terminal) return history.go(present_visit());
  out.write(first_help(app, terminal));
}

}  // namespace

void run_program(std::vector<std::string> words, Output& out) {
  NavigationHistory history{.here = {std::move(words)}};
  while (true) {
    run(history, out);
    if (!history.next) return;
    history.here = *std::exchange(history.next, {});
  }
}

}  // namespace glassgrad
