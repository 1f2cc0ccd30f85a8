#include "apps/commands/program.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <span>

#include "apps/cli/arguments.h"
#include "apps/cli/device.h"
#include "apps/cli/version.h"
#include "apps/commands/commands.h"
#include "apps/commands/elsewhere.h"
#include "apps/page/embedded.h"
#include "apps/terminal/input.h"
#include "apps/terminal/signals.h"
#include "engine/core/error.h"
#include "engine/gpus.h"

namespace glassgrad {
namespace {

std::string version_text() {
  const std::string cuda = cuda_version(), reason = why_unavailable({DeviceType::CUDA, 0});
  std::string text = fmt::format("glassgrad {}\ncommit {}\ncompiler {}\ndevices {}\n", glassgrad_version(),
                                 glassgrad_commit(), glassgrad_compiler(), fmt::join(device_names(), ", "));
  if (!cuda.empty())
    text += fmt::format("cuda {}{}\n", cuda, reason.empty() ? "" : fmt::format(", but {}", reason));
  return text + fmt::format("wasm: {}\n", explorer::engine_wasm().empty() ? "no" : "yes");
}

// The command that the words name gets to know those that follow.
void prepare(std::span<const std::unique_ptr<Subcommand>> commands, const std::vector<std::string>& words) {
  for (size_t k = 0; k < words.size(); ++k)
    for (const auto& command : commands)
      if (command->app().get_name() == words[k] && words[k] != "help")  // that one is about the next
        return command->prepare({words.begin() + std::ptrdiff_t(k) + 1, words.end()});
}

// To somebody at a terminal who has typed the program's name alone: what fits on a small one.
void offer_start(const CLI::App& app, Output& out) {
  out.write(app.get_description() + "\n\n");
  for (const char* name : {"start", "learn", "build", "train", "generate", "inspect"})
    out.write(fmt::format("  {:<10}{}\n", name, app.get_subcommand(name)->get_description()));
  out.write("\nglassgrad --help lists all commands.\n");
  out.write("Press Enter for the first ten minutes (glassgrad start), q and Enter to leave: ");
  out.flush();
  SignalQueue signals;
  const std::optional<std::string> line = Input(signals).line();
  if (!line) return out.write("\n");
  if (line->empty() || *line == "\r") throw GoOnWith{{"start"}};
}

void run(const std::vector<std::string>& words, Output& out) {
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

  prepare(commands, words);
  try {
    parse(app, words);
    check_is_command(app);
    for (CLI::App* a : apps) check_all_known(*a);
  } catch (const CLI::CallForHelp&) {
    for (const auto& command : commands)
      if (command->app().parsed()) return out.write(command->help());
    return out.write(app.help());
  }
  if (version) return out.write(version_text());
  check_environment();
  for (const auto& command : commands)
    if (command->app().parsed()) return command->run(out);
  if (words.empty() && out.is_terminal() && ::isatty(STDIN_FILENO) == 1) return offer_start(app, out);
  out.write(app.help());
}

}  // namespace

void run_program(std::vector<std::string> words, Output& out) {
  while (true) try {
      return run(words, out);
    } catch (const GoOnWith& next) {
      words = next.arguments;
    }
}

}  // namespace glassgrad
