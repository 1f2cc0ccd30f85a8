// The program's manual as a man page, made from what its help knows.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "apps/cli/command_line.h"

namespace glassgrad {

// Name and what it means, a line each.
using Entries = std::vector<std::pair<std::string, std::string>>;
struct Section {
  std::string title, text;
  Entries entries = {};
};

// In roff, for section 1: every command with its example and flags, then the sections.
std::string man_page(const CLI::App& program, const std::string& version,
                     const std::vector<Section>& sections);

}  // namespace glassgrad
