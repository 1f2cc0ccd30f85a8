// The program's manual as a man page, made from the options and texts of its help.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/command_line.h"

namespace glassgrad {

// Pairs of a name and its meaning, one line each.
using Entries = std::vector<std::pair<std::string, std::string>>;
struct Section {
  std::string title, text;
  Entries entries = {};
};

// Returns the page in roff, for section 1: every command with its example and flags, then `sections`.
std::string man_page(const CLI::App& program, const std::string& version,
                     const std::vector<Section>& sections);

}  // namespace glassgrad
