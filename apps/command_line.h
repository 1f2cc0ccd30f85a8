// What CLI11 leaves to do: help that reads well, and answers to words that it does not know.
#pragma once
#include <CLI/CLI.hpp>
#include <string>
#include <vector>

namespace glassgrad {

// Help that begins with an example, which CLI11 keeps as the footer, and fits 80 columns.
struct Help : CLI::Formatter {
  Help() { column_width(22); }
  std::string make_description(const CLI::App* app) const override;
  std::string make_footer(const CLI::App*) const override { return {}; }
  std::string make_subcommands(const CLI::App* app, CLI::AppFormatMode mode) const override;
  std::string make_group(std::string group, bool positional,
                         std::vector<const CLI::Option*> options) const override;
};

// UsageError: the parser has met a word that this app does not know. The app must allow extras.
void check_all_known(CLI::App& app);
// What the parser complains about, in words for people.
std::string explain(const CLI::ParseError& error);

}  // namespace glassgrad
