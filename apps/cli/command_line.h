// Additions to CLI11: help that reads well, and answers to unknown words.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/navigation_history.h"
#include "apps/cli/output.h"

// Declared here because CLI11 takes longer to compile than most files that include this header.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace glassgrad {

inline constexpr const char* kOptions = "Options";  // the group of options that have no other group
inline constexpr const char* kHidden = "";          // the group of commands and options that no help shows
// Adds an option that takes one value. The help shows the value as `value`, under the heading `group`. Values
// are kept as typed: CLI11's own conversions accept 010 as 8, -1 as a count, nan as a number in range, and an
// empty text as no value.
CLI::Option* add_value(CLI::App& app, const std::string& name, const char* value, const std::string& what,
                       const char* group = kOptions);
// Adds the same option, but it can be given any number of times.
CLI::Option* add_values(CLI::App& app, const std::string& name, const char* value, const std::string& what,
                        const char* group = kOptions);

// The purpose of a command: the help groups commands by it.
enum class CommandGroup : uint8_t { Learn, Model, Prove, Hidden };

// A command of the program. Its constructor adds it and its flags to the program, which must live longer.
class Subcommand {
 public:
  // Its help begins with the example.
  Subcommand(CLI::App& program, CommandGroup group, const char* name, const char* what, const char* example);
  virtual ~Subcommand() = default;
  Subcommand(const Subcommand&) = delete;
  Subcommand& operator=(const Subcommand&) = delete;

  CLI::App& app() const { return *app_; }
  // Called with the words that follow the command, before the parser reads them. A lesson that they name may
  // add flags.
  virtual void prepare(const std::vector<std::string>& words) { (void)words; }
  // Returns the text that --help prints, after prepare.
  virtual std::string help() const;
  // Runs the command. Throws UsageError, and the errors of the command. A visit that it leaves in
  // history().next runs after it.
  virtual void run(Output& out) const = 0;
  // Sets where the reader is when the command runs. `history` must outlive the command.
  void come(NavigationHistory& history) { history_ = &history; }

 protected:
  const CLI::App& program() const;
  NavigationHistory& history() const { return *history_; }
  // Returns how often flags and words were given; the command's name counts too.
  size_t count_given() const;
  CLI::Option* add_value(const std::string& name, const char* value, const std::string& what,
                         const char* group = kOptions);
  CLI::Option* add_values(const std::string& name, const char* value, const std::string& what,
                          const char* group = kOptions);
  // Adds positional words, any number of them.
  CLI::Option* add_words(const std::string& name, const std::string& what);
  void add_flag(const char* name, bool& on, const char* what, const char* group = kOptions);

  CLI::App* app_;

 private:
  NavigationHistory* history_ = nullptr;
};

// Makes each help begin with an example and fit 80 columns.
void set_help(CLI::App& program);

// Adds a line to the description at the top of this app's help.
void describe_further(CLI::App& app, const std::string& text);

const std::string& name_of(const CLI::App& app);
bool has_option(const CLI::App& app, const std::string& name);
// The names of the commands that the help lists.
std::vector<std::string> command_names(const CLI::App& program);
bool has_command(const CLI::App& program);             // whether a command was given
std::vector<std::string> unread(const CLI::App& app);  // the words that the app does not know
// Returns the command of that name, or null.
const CLI::App* command_called(const CLI::App& program, const std::string& name);
std::string name_of(const CLI::Option* option);
// Each value that was given, in order.
const std::vector<std::string>& all_given(const CLI::Option* option);
// The last value that was given, if any.
std::optional<std::string> given(const CLI::Option* option);
// The last value as a number in [least, most]. Throws UsageError if it is none.
std::optional<int64_t> given_integer(const CLI::Option* option, int64_t least, int64_t most);
std::optional<double> given_number(const CLI::Option* option, double least, double most);
std::optional<uint64_t> given_seed(const CLI::Option* option);

// Sets the app's flags from the words. Throws UsageError if the words do not fit; CLI::CallForHelp and
// CLI::CallForAllHelp if they ask for help.
void parse(CLI::App& app, const std::vector<std::string>& words);
// Splits a text into words, like a shell.
std::vector<std::string> shell_words(const std::string& text);
// A command outside the program: its flags are read from words that come from elsewhere.
class FlagParser {
 public:
  explicit FlagParser(const char* name);
  ~FlagParser();
  FlagParser(const FlagParser&) = delete;
  FlagParser& operator=(const FlagParser&) = delete;

  CLI::App& app() { return *app_; }
  // Throws UsageError for a word that the app does not know, and for words that do not fit.
  void parse(const std::vector<std::string>& words);

 private:
  std::unique_ptr<CLI::App> app_;
};

// Returns the first word that is neither a flag nor a flag's value, before the parser reads the words. A flag
// that the app does not have yet is assumed to take a value.
std::optional<std::string> first_name(const CLI::App& app, const std::vector<std::string>& words);
// Throws UsageError if the parser has met a word that this app does not know. The app must allow extras.
void check_all_known(CLI::App& app);

}  // namespace glassgrad
