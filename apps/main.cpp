// Arguments in, exit code out: 0 done, 1 a file or the run went wrong, 2 the command line is wrong, 128 + n stopped by
// signal n. Results go to stdout, one line about what went wrong to stderr.
#include <CLI/CLI.hpp>
#include <csignal>
#include <cstdio>
#include <new>
#include <unistd.h>

#include "apps/arguments.h"
#include "apps/learn/command.h"
#include "apps/output.h"
#include "apps/version.h"
#include "engine/error.h"

namespace glassgrad {
namespace {

constexpr int kFailed = 1, kUsage = 2;

int report(int code, std::string text) {
  for (char& c : text)
    if (c == '\n') c = ' ';
  text = "glassgrad: " + text + "\n";
  std::fputs(text.c_str(), stderr);
  return code;
}

void stop_on(int signal) {
  if (std::signal(signal, SIG_IGN) != SIG_IGN)  // whoever started us may want it ignored
    std::signal(signal, [](int s) { ::_exit(128 + s); });
}

// Of what the parser could not place: a flag first, for then a word may only be that flag's value.
void check_all_known(CLI::App& app) {
  std::vector<std::string> flags, commands;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back("--" + name);
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());

  const std::vector<std::string> unknown = app.remaining();
  const auto is_flag = [](const std::string& word) { return word.starts_with('-'); };
  const auto flag = std::find_if(unknown.begin(), unknown.end(), is_flag);
  if (flag != unknown.end()) {
    const std::string name = flag->substr(0, flag->find('='));
    fail<UsageError>("there is no {}: did you mean {}? `{} --help` lists all", name, nearest(name, flags),
                     app.get_display_name());
  }
  if (unknown.empty()) return;
  check<UsageError>(!commands.empty(), "'{}' is one word too many", unknown.front());
  fail<UsageError>("there is no command '{}': did you mean {}?", unknown.front(), nearest(unknown.front(), commands));
}

void run(int argc, char** argv, Output& out) {
  CLI::App app(
      "Example: glassgrad learn journey\n\n"
      "glassgrad opens attention up: every matrix of a walkthrough, computed here, printed as PyTorch prints it.",
      "glassgrad");
  app.allow_extras();
  bool version = false;
  app.add_flag("--version", version, "Print version, commit, compiler and devices");
  learn::Command learn(app);
  learn.app().allow_extras();
  for (CLI::App* a : {&app, &learn.app()}) a->set_help_flag("-h,--help", "Print this help");
  app.footer("Next: glassgrad learn, which lists the lessons; glassgrad learn --help");

  try {
    app.parse(argc, argv);
    check_all_known(app);
    check_all_known(learn.app());
  } catch (const CLI::CallForHelp&) {
    return out.write(app.help());
  }
  if (version)
    out.write(fmt::format("glassgrad {}\ncommit {}\ncompiler {}\ndevices cpu\n", glassgrad_version(), glassgrad_commit(),
                          glassgrad_compiler()));
  else if (learn.app().parsed()) learn.run(out);
  else out.write(app.help());
}

}  // namespace
}  // namespace glassgrad

int main(int argc, char** argv) {
  using namespace glassgrad;
  stop_on(SIGINT);
  stop_on(SIGTERM);
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes is seen where we write
  try {
    Output out(STDOUT_FILENO);
    run(argc, argv, out);
    out.flush();
    return 0;
  } catch (const OutputClosed&) {
    return 0;
  } catch (const UsageError& e) {
    return report(kUsage, e.what());
  } catch (const CLI::ParseError& e) {
    return report(kUsage, e.what());
  } catch (const std::bad_alloc&) {
    return report(kFailed, "out of memory: give fewer rows, a smaller --d-out or fewer --heads");
  } catch (const std::exception& e) {
    return report(kFailed, e.what());
  }
}
