#include "apps/command_line.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/arguments.h"
#include "engine/error.h"

namespace glassgrad {

std::string Help::make_description(const CLI::App* app) const {
  return fmt::format("{}\n\n{}\n\n", app->get_footer(), app->get_description());
}

// CLI11 parts groups, but not the last one from the commands, by an empty line.
std::string Help::make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const {
  std::string lines = CLI::Formatter::make_subcommands(app, mode);
  if (lines.empty()) return lines;
  lines.pop_back();
  return fmt::format("\n{}", lines);
}

std::string Help::make_group(std::string group, bool positional,
                             std::vector<const CLI::Option*> options) const {
  if (positional) return {};  // the usage line has them
  std::string lines = fmt::format("\n{}:\n", group);
  for (const CLI::Option* option : options) lines += make_option(option, positional);
  lines.pop_back();
  return lines;
}

void check_all_known(CLI::App& app) {
  std::vector<std::string> flags, commands;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) flags.push_back(fmt::format("--{}", name));
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());

  std::vector<std::string> unknown = app.remaining();
  std::erase(unknown, "--");
  // A flag first, for then a word may only be that flag's value.
  const auto is_flag = [](const std::string& word) { return word.starts_with('-'); };
  const auto flag = std::find_if(unknown.begin(), unknown.end(), is_flag);
  if (flag != unknown.end()) {
    const std::string name = flag->substr(0, flag->find('='));
    fail<UsageError>("there is no {}: did you mean {}? `{} --help` lists all", name, nearest(name, flags),
                     app.get_parent() ? app.get_parent()->get_name() + " " + app.get_name() : app.get_name());
  }
  if (unknown.empty()) return;
  check<UsageError>(!commands.empty(), "'{}' is one word too many", unknown.front());
  fail<UsageError>("there is no command '{}': did you mean {}?", unknown.front(),
                   nearest(unknown.front(), commands));
}

std::string explain(const CLI::ParseError& error) {
  const std::string text = error.what(), name = text.substr(0, text.find(':'));
  if (text.ends_with("missing")) return fmt::format("{} needs a value", name);
  if (text.find("At Most 1 required") != std::string::npos)
    return fmt::format("{} is given more than once", name);
  if (text.find("disallowed flag override") != std::string::npos)
    return fmt::format("--{} takes no value", text.substr(0, text.find(' ')));
  return text;
}

}  // namespace glassgrad
