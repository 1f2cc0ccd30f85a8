// What CLI11 leaves to do: help that reads well, and answers to words that it does not know.
#pragma once
#include <CLI/CLI.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "apps/output.h"

namespace glassgrad {

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

// A command of the program: it adds itself when it is built, and its flags to app(). The program must live
// longer.
class Subcommand {
 public:
  Subcommand(CLI::App& program, const char* name, const char* what)
      : app_(program.add_subcommand(name, what)) {}
  virtual ~Subcommand() = default;
  Subcommand(const Subcommand&) = delete;
  Subcommand& operator=(const Subcommand&) = delete;

  CLI::App& app() const { return *app_; }
  // When the command line has asked for it. UsageError, or what the command throws.
  virtual void run(Output& out) const = 0;

 protected:
  CLI::App* app_;
};

// Adds an option that takes one value and shows as `value` in the help. Values are kept as they were typed:
// CLI11's own conversions take 010 for 8, -1 for a count and nan for a number in range, and an empty text for
// none at all.
CLI::Option* add_value(CLI::App& app, const std::string& name, const char* value, const std::string& what);
std::optional<std::string> given(const CLI::Option* option);
// The same as a number in [least, most]; UsageError otherwise.
std::optional<int64_t> given_integer(const CLI::Option* option, int64_t least, int64_t most);
std::optional<double> given_number(const CLI::Option* option, double least, double most);
std::optional<uint64_t> given_seed(const CLI::Option* option);

// Adds --threads N, and obeys it: UsageError unless it is from 1 to 256.
CLI::Option* add_threads(CLI::App& app);
void use_threads(const CLI::Option* option);
// UsageError if GLASSGRAD_THREADS, which holds where --threads is not given, is no such number.
void check_threads();

// UsageError: the parser has met a word that this app does not know. The app must allow extras.
void check_all_known(CLI::App& app);
// What the parser complains about, in words for people.
std::string explain(const CLI::ParseError& error);

}  // namespace glassgrad
