#include "apps/cli/command_line.h"

#include <fmt/core.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <sstream>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "engine/core/error.h"
#include "engine/core/joined.h"

namespace glassgrad {
namespace {

// Help that begins with an example, which CLI11 keeps as the footer, and fits 80 columns.
struct Help : CLI::Formatter {
  Help() { column_width(kNames); }
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App*) const override { return {}; }
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override;
  std::string make_option_desc(const CLI::Option* option) const override;
  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override;

 private:
  static constexpr size_t kNames = 22, kColumns = 80;
};

std::string Help::make_description(const CLI::App* app) const {
  return fmt::format("{}\n\n{}\n\n", app->get_footer(), app->get_description());
}

// CLI11 puts an empty line between groups, but not between the last group and the commands.
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
  return joined(lines, "\n");
}

}  // namespace

Subcommand::Subcommand(CLI::App& program, CommandGroup group, const char* name, const char* what,
                       const char* example)
    : app_(program.add_subcommand(name, what)) {
  constexpr const char* kNames[] = {"Learn", "Model", "Prove", kHidden};
  app_->group(kNames[size_t(group)]);
  app_->footer(fmt::format("Example: {}", example));
}

std::string Subcommand::help() const { return app_->help(); }

const CLI::App& Subcommand::program() const { return *app_->get_parent(); }
size_t Subcommand::count_given() const { return app_->count_all(); }

CLI::Option* add_value(CLI::App& app, const std::string& name, const char* value, const std::string& what,
                       const char* group) {
  return app.add_option(name, what)->type_size(1)->option_text(value)->group(group);
}

CLI::Option* add_values(CLI::App& app, const std::string& name, const char* value, const std::string& what,
                        const char* group) {
  return add_value(app, name, value, what, group)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
}

CLI::Option* Subcommand::add_value(const std::string& name, const char* value, const std::string& what,
                                   const char* group) {
  return glassgrad::add_value(*app_, name, value, what, group);
}

CLI::Option* Subcommand::add_values(const std::string& name, const char* value, const std::string& what,
                                    const char* group) {
  return glassgrad::add_values(*app_, name, value, what, group);
}

CLI::Option* Subcommand::add_words(const std::string& name, const std::string& what) {
  return add_values(name, "", what)->allow_extra_args();
}

void Subcommand::add_flag(const char* name, bool& on, const char* what, const char* group) {
  app_->add_flag(name, on, what)->disable_flag_override()->group(group);
}

void set_help(CLI::App& program) { program.formatter(std::make_shared<Help>()); }

void describe_further(CLI::App& app, const std::string& text) {
  app.description(fmt::format("{}\n{}", app.get_description(), text));
}

const std::string& name_of(const CLI::App& app) { return app.get_name(); }
bool has_option(const CLI::App& app, const std::string& name) { return app.get_option_no_throw(name); }

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command :
       program.get_subcommands([](const CLI::App* c) { return c->get_group() != kHidden; }))
    names.push_back(command->get_name());
  return names;
}

bool has_command(const CLI::App& program) { return !program.get_subcommands().empty(); }
std::vector<std::string> unread(const CLI::App& app) { return app.remaining(); }

const CLI::App* command_called(const CLI::App& program, const std::string& name) {
  for (const CLI::App* command : program.get_subcommands({}))
    if (command->get_name() == name) return command;
  return nullptr;
}

std::string name_of(const CLI::Option* option) {
  const bool hidden = option->get_group() == kHidden;  // get_name() is empty for hidden options
  return hidden ? "--" + option->get_lnames().front() : option->get_name();
}

const std::vector<std::string>& all_given(const CLI::Option* option) { return option->results(); }

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

namespace {
// Puts the parser's complaint into plain words.
std::string explain(const CLI::ParseError& error) {
  const std::string text = error.what(), name = text.substr(0, text.find(':'));
  if (text.ends_with("missing")) return fmt::format("{} needs a value", name);
  if (text.find("At Most 1 required") != std::string::npos)
    return fmt::format("{} is given more than once", name);
  if (text.find("disallowed flag override") != std::string::npos)
    return fmt::format("--{} takes no value", text.substr(0, text.find(' ')));
  return text;
}
}  // namespace

void parse(CLI::App& app, const std::vector<std::string>& words) {
  try {
    app.parse(std::vector<std::string>(words.rbegin(), words.rend()));  // CLI11 takes them from the back
  } catch (const CLI::CallForHelp&) {
    throw;
  } catch (const CLI::CallForAllHelp&) {
    throw;
  } catch (const CLI::ParseError& e) {
    throw UsageError(explain(e));
  }
}

std::vector<std::string> shell_words(const std::string& text) {
  std::vector<std::string> words = CLI::detail::split_up(text);
  for (std::string& word : words) CLI::detail::remove_quotes(word);
  std::erase(words, "");
  return words;
}

FlagParser::FlagParser(const char* name) : app_(std::make_unique<CLI::App>("", name)) {
  app_->set_help_flag();
  app_->allow_extras();
}
FlagParser::~FlagParser() = default;

void FlagParser::parse(const std::vector<std::string>& words) {
  glassgrad::parse(*app_, words);
  check_all_known(*app_);
}

std::optional<std::string> first_name(const CLI::App& app, const std::vector<std::string>& words) {
  for (size_t k = 0; k < words.size(); ++k) {
    const std::string& word = words[k];
    if (word == "--") return k + 1 < words.size() ? std::optional(words[k + 1]) : std::nullopt;
    if (word.size() < 2 || word[0] != '-') return word;
    if (word.find('=') != word.npos) continue;
    const CLI::Option* const known = app.get_option_no_throw(word);
    if (!known || known->get_items_expected_max() > 0) ++k;
  }
  return {};
}

void check_all_known(CLI::App& app) {
  std::vector<std::string> flags, commands;
  for (const CLI::Option* option :
       app.get_options([](const CLI::Option* o) { return o->get_group() != kHidden; }))
    for (const std::string& name : option->get_lnames()) flags.push_back(fmt::format("--{}", name));
  for (const CLI::App* command : app.get_subcommands({})) commands.push_back(command->get_name());

  std::vector<std::string> unknown = app.remaining();
  std::erase(unknown, "--");
  // Report an unknown flag first: an unknown word may only be the value of that flag.
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

}  // namespace glassgrad
