// Completions that a shell offers for the word being typed.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/command_line.h"

namespace glassgrad {

struct Candidate {
  std::string word, what;
};
struct Completion {
  std::vector<Candidate> candidates;  // each begins like the word
  bool files = false;                 // the word is a path: the shell completes it
};

// Completes the last word of a command line without the program's name: a command, a flag, a flag's value, a
// lesson, a step, a course. The command must already have its lesson's flags.
Completion completion_of(const CLI::App& program, std::vector<std::string> words);

// The shell scripts that call `glassgrad help --complete`.
extern const char* const kBashCompletion;
extern const char* const kZshCompletion;

}  // namespace glassgrad
