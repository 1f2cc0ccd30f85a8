// Arguments in, exit code out: 0 done, 1 a file or the run went wrong, 2 the command line is wrong, 128 + n
// stopped by signal n. Results go to stdout, one line about what went wrong to stderr.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

#include "apps/cli/arguments.h"
#include "apps/cli/command_line.h"
#include "apps/cli/complain.h"
#include "apps/cli/device.h"
#include "apps/cli/output.h"
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

constexpr int kFailed = 1, kUsage = 2;

// Where stdin, stdout or stderr is closed, the next file that is opened would be taken for it. What stands
// there instead can only be used the other way round: reading or writing fails as before.
void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      std::_Exit(kFailed);
}

// When no memory is left, what has been made so far is destroyed, and nlohmann's JSON takes memory for that:
// it finds this much.
constexpr size_t kSpareBytes = size_t(8) << 20;
std::atomic<void*> spare_memory = nullptr;  // never touched, so it takes no room until it is given back

void keep_spare_memory() {
  spare_memory = std::malloc(kSpareBytes);
  std::set_new_handler([] {
    std::free(spare_memory.exchange(nullptr));
    throw std::bad_alloc();
  });
}

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

// To somebody at a terminal who has typed the program's name alone.
void offer_start(Output& out) {
  out.write("\nPress Enter for the first ten minutes (glassgrad start), or q and Enter to leave: ");
  out.flush();
  SignalQueue signals;
  const std::optional<std::string> line = Input(signals).line();
  if (!line) return out.write("\n");
  if (line->empty() || *line == "\r") throw GoOnWith{{"start"}};
}

void run(int argc, char** argv, Output& out) {
  CLI::App app("Step through attention: every matrix is computed here and printed as PyTorch\nprints it.",
               "glassgrad");
  app.footer("Example: glassgrad learn journey");
  set_help(app);
  app.require_subcommand(0, 1);
  bool version = false;
  app.add_flag("--version", version, "Print version, commit, compiler and devices")->disable_flag_override();
  const std::unique_ptr<Subcommand> commands[] = {
      start::command(app),  learn::command(app),    build::command(app),     review::command(app),
      why::command(app),    diff::command(app),     graph::command(app),     docs::command(app),
      train::command(app),  generate::command(app), inspect::command(app),   convert::command(app),
      verify::command(app), checking::command(app), gradcheck::command(app), bench::command(app),
      help::command(app)};
  std::vector<CLI::App*> apps{&app};
  for (const auto& command : commands) apps.push_back(&command->app());
  for (CLI::App* a : apps) a->allow_extras()->set_help_flag("--help,-h", "Print this help");

  prepare(commands, std::vector<std::string>(argv + 1, argv + std::max(argc, 1)));
  try {
    app.parse(argc, argv);
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
  out.write(app.help());
  if (argc < 2 && out.is_terminal() && ::isatty(STDIN_FILENO) == 1) offer_start(out);
}

// The program, and then what its reader has chosen to go on with.
void run_all(int argc, char** argv, Output& out) {
  std::vector<std::string> words;
  std::vector<char*> pointers;
  while (true) try {
      return run(argc, argv, out);
    } catch (const GoOnWith& next) {
      words = {"glassgrad"};
      words.insert(words.end(), next.arguments.begin(), next.arguments.end());
      pointers.clear();
      for (std::string& word : words) pointers.push_back(word.data());
      argc = int(pointers.size());
      pointers.push_back(nullptr);
      argv = pointers.data();
    }
}

}  // namespace
}  // namespace glassgrad

int main(int argc, char** argv) {
  using namespace glassgrad;
  open_standard_streams();
  const std::span<const char* const> arguments(argv, static_cast<size_t>(argc));
  const auto report = [&](int code, std::string_view text) {
    complain(text, arguments);
    return code;
  };
  end_on_signals();
  keep_spare_memory();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes is seen where we write
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow any more
  try {
    Output out(STDOUT_FILENO);
    run_all(argc, argv, out);
    out.flush();
    return 0;
  } catch (const OutputClosed&) {
    return 0;
  } catch (const Interrupted& stopped) {
    return 128 + stopped.signal;
  } catch (const Elsewhere& e) {
    report(kUsage, e.what());
    complain_further(e.lines);
    return kUsage;
  } catch (const UsageError& e) {
    return report(kUsage, e.what());
  } catch (const CLI::ParseError& e) {
    return report(kUsage, explain(e));
  } catch (const Error& e) {
    return report(kFailed, e.what());
  } catch (const std::exception& e) {
    return report(kFailed, told(e));
  }
}
