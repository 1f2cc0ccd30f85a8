// Arguments in, exit code out: 0 done, 1 a file or the run went wrong, 2 the command line is wrong, 128 + n
// stopped by signal n. Results go to stdout, one line about what went wrong to stderr.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <new>
#include <vector>

#include "apps/cli/arguments.h"
#include "apps/cli/command_line.h"
#include "apps/cli/device.h"
#include "apps/cli/output.h"
#include "apps/cli/version.h"
#include "apps/commands/commands.h"
#include "apps/page/embedded.h"
#include "apps/terminal/signals.h"
#include "engine/core/error.h"
#include "engine/gpus.h"

namespace glassgrad {
namespace {

constexpr int kFailed = 1, kUsage = 2;

int report(int code, std::string text) {
  for (char& c : text)  // words of the command line are quoted in it, and it is one line
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  std::fputs(fmt::format("glassgrad: {}\n", text).c_str(), stderr);
  return code;
}

std::string version_text() {
  const std::string cuda = cuda_version(), reason = why_unavailable({DeviceType::CUDA, 0});
  std::string text = fmt::format("glassgrad {}\ncommit {}\ncompiler {}\ndevices {}\n", glassgrad_version(),
                                 glassgrad_commit(), glassgrad_compiler(), fmt::join(device_names(), ", "));
  if (!cuda.empty())
    text += fmt::format("cuda {}{}\n", cuda, reason.empty() ? "" : fmt::format(", but {}", reason));
  return text + fmt::format("wasm: {}\n", explorer::engine_wasm().empty() ? "no" : "yes");
}

void run(int argc, char** argv, Output& out) {
  CLI::App app("Every matrix of a walkthrough of attention, computed here, printed as PyTorch\nprints it.",
               "glassgrad");
  app.footer("Example: glassgrad learn journey");
  set_help(app);
  app.require_subcommand(0, 1);
  bool version = false;
  app.add_flag("--version", version, "Print version, commit, compiler and devices")->disable_flag_override();
  const std::unique_ptr<Subcommand> commands[] = {
      learn::command(app),   why::command(app),    diff::command(app),     graph::command(app),
      docs::command(app),    train::command(app),  generate::command(app), inspect::command(app),
      convert::command(app), verify::command(app), checking::command(app), gradcheck::command(app),
      bench::command(app)};
  std::vector<CLI::App*> apps{&app};
  for (const auto& command : commands) apps.push_back(&command->app());
  for (CLI::App* a : apps) a->allow_extras()->set_help_flag("--help,-h", "Print this help");

  try {
    app.parse(argc, argv);
    for (CLI::App* a : apps) check_all_known(*a);
  } catch (const CLI::CallForHelp&) {
    return out.write(app.help());
  }
  if (version) return out.write(version_text());
  check_environment();
  for (const auto& command : commands)
    if (command->app().parsed()) return command->run(out);
  out.write(app.help());
}

}  // namespace
}  // namespace glassgrad

int main(int argc, char** argv) {
  using namespace glassgrad;
  end_on_signals();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes is seen where we write
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow any more
  try {
    Output out(STDOUT_FILENO);
    run(argc, argv, out);
    out.flush();
    return 0;
  } catch (const OutputClosed&) {
    return 0;
  } catch (const Interrupted& stopped) {
    return 128 + stopped.signal;
  } catch (const UsageError& e) {
    return report(kUsage, e.what());
  } catch (const CLI::ParseError& e) {
    return report(kUsage, explain(e));
  } catch (const std::bad_alloc&) {
    return report(kFailed, "out of memory: give fewer rows, a smaller --d-out or fewer --heads");
  } catch (const std::exception& e) {
    return report(kFailed, e.what());
  }
}
