// What CLI11 leaves to do: help that reads well, and answers to words that it does not know.
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/output.h"
#include "apps/cli/way.h"

// CLI11 takes longer to compile than most of what includes this.
namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace glassgrad {

inline constexpr const char* kOptions = "Options";  // the group of what belongs to no other
inline constexpr const char* kHidden = "";          // of what is known, but in no help
// An option that takes one value and shows as `value` in the help, under the heading `group`. Values are kept
// as they were typed: CLI11's own conversions take 010 for 8, -1 for a count and nan for a number in range,
// and an empty text for none at all.
CLI::Option* add_value(CLI::App& app, const std::string& name, const char* value, const std::string& what,
                       const char* group = kOptions);
// The same, any number of times.
CLI::Option* add_values(CLI::App& app, const std::string& name, const char* value, const std::string& what,
                        const char* group = kOptions);

// What a command is for: a group of the help.
enum class CommandGroup : uint8_t { Learn, Model, Prove, Hidden };

// A command of the program: it adds itself when it is built, and its flags. The program must live longer.
class Subcommand {
 public:
  // Its help begins with the example.
  Subcommand(CLI::App& program, CommandGroup group, const char* name, const char* what, const char* example);
  virtual ~Subcommand() = default;
  Subcommand(const Subcommand&) = delete;
  Subcommand& operator=(const Subcommand&) = delete;

  CLI::App& app() const { return *app_; }
  // Before the parser reads them: the words that follow the command. What they name may bring flags of its
  // own.
  virtual void prepare(const std::vector<std::string>& words) { (void)words; }
  // What --help prints, the words known.
  virtual std::string help() const;
  // When the command line has asked for it. UsageError, or what the command throws. What it leaves in
  // way().next runs after it.
  virtual void run(Output& out) const = 0;
  // Where the reader is when the command runs. It must live longer.
  void come(Way& way) { way_ = &way; }

 protected:
  const CLI::App& program() const;
  Way& way() const { return *way_; }
  // How often flags and words were given, the command's name counted too.
  size_t count_given() const;
  CLI::Option* add_value(const std::string& name, const char* value, const std::string& what,
                         const char* group = kOptions);
  CLI::Option* add_values(const std::string& name, const char* value, const std::string& what,
                          const char* group = kOptions);
  // Words one after the other, any number of them.
  CLI::Option* add_words(const std::string& name, const std::string& what);
  void add_flag(const char* name, bool& on, const char* what, const char* group = kOptions);

  CLI::App* app_;

 private:
  Way* way_ = nullptr;
};

// How each help looks: an example first, 80 columns.
void set_help(CLI::App& program);

// Adds a line to what the help of this app tells first.
void describe_further(CLI::App& app, const std::string& text);

const std::string& name_of(const CLI::App& app);
bool has_option(const CLI::App& app, const std::string& name);
// The names of the commands that the help lists.
std::vector<std::string> command_names(const CLI::App& program);
bool has_command(const CLI::App& program);             // one was given
std::vector<std::string> unread(const CLI::App& app);  // the words that are none of the app's
// The command of that name; null: there is none.
const CLI::App* command_called(const CLI::App& program, const std::string& name);
std::string name_of(const CLI::Option* option);
// Each value that was given, in order.
const std::vector<std::string>& all_given(const CLI::Option* option);
// The last of them.
std::optional<std::string> given(const CLI::Option* option);
// The same as a number in [least, most]; UsageError otherwise.
std::optional<int64_t> given_integer(const CLI::Option* option, int64_t least, int64_t most);
std::optional<double> given_number(const CLI::Option* option, double least, double most);
std::optional<uint64_t> given_seed(const CLI::Option* option);

// The app's flags take what the words give them. UsageError: they do not fit. CLI::CallForHelp,
// CLI::CallForAllHelp.
void parse(CLI::App& app, const std::vector<std::string>& words);
// The words of a text, as a shell parts them.
std::vector<std::string> shell_words(const std::string& text);
// A command that is no command of the program: its flags are read from words that stand elsewhere.
class WordsParser {
 public:
  explicit WordsParser(const char* name);
  ~WordsParser();
  WordsParser(const WordsParser&) = delete;
  WordsParser& operator=(const WordsParser&) = delete;

  CLI::App& app() { return *app_; }
  // UsageError: a word that the app does not know, or words that do not fit.
  void parse(const std::vector<std::string>& words);

 private:
  std::unique_ptr<CLI::App> app_;
};

// The first of the words that is neither a flag nor a flag's value, to be known before the parser reads them.
// A flag that the app does not have yet takes a value.
std::optional<std::string> first_name(const CLI::App& app, const std::vector<std::string>& words);
// UsageError: the parser has met a word that this app does not know. The app must allow extras.
void check_all_known(CLI::App& app);

}  // namespace glassgrad
