#include "apps/command_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "apps/arguments.h"
#include "apps/terminal/text_width.h"
#include "engine/error.h"
#include "engine/threads.h"

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

std::string Help::make_option_desc(const CLI::Option* option) const {
  std::vector<std::string> lines;
  std::istringstream description(option->get_description());
  for (std::string line; std::getline(description, line);)
    for (std::string& part : filled(line, 0, kColumns - kNames)) lines.push_back(std::move(part));
  return fmt::format("{}", fmt::join(lines, "\n"));
}

CLI::Option* add_value(CLI::App& app, const std::string& name, const char* value, const std::string& what) {
  return app.add_option(name, what)->type_size(1)->option_text(value);
}

std::optional<std::string> given(const CLI::Option* option) {
  if (option->count() == 0) return {};
  return option->results().back();
}

std::optional<int64_t> given_integer(const CLI::Option* option, int64_t least, int64_t most) {
  const auto text = given(option);
  if (!text) return {};
  const auto value = parse_number<int64_t>(*text);
  check<UsageError>(value && *value >= least && *value <= most, "{} takes an integer from {} to {}, not '{}'",
                    option->get_name(), least, most, *text);
  return value;
}

std::optional<double> given_number(const CLI::Option* option, double least, double most) {
  const auto text = given(option);
  if (!text) return {};
  const auto value = parse_number<double>(*text);
  check<UsageError>(value && *value >= least && *value <= most, "{} takes a number from {} to {}, not '{}'",
                    option->get_name(), least, most, *text);
  return value;
}

std::optional<uint64_t> given_seed(const CLI::Option* option) {
  const auto text = given(option);
  if (!text) return {};
  const auto seed = parse_seed(*text);
  check<UsageError>(seed.has_value(), "{} takes an integer from -2^63 to 2^64-1, not '{}'",
                    option->get_name(), *text);
  return seed;
}

CLI::Option* add_threads(CLI::App& app) {
  return add_value(app, "--threads", "N",
                   "Threads to compute with (GLASSGRAD_THREADS, or the number of cores)");
}

void use_threads(const CLI::Option* option) {
  if (const auto n = given_integer(option, 1, kMostThreads)) set_threads(static_cast<int>(*n));
}

void check_threads() {
  try {
    threads();
  } catch (const ValueError& e) {
    fail<UsageError>("{}", e.what());
  }
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
