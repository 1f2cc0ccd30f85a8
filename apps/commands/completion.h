// What a shell can put in place of the word that somebody is typing.
#pragma once
#include <string>
#include <vector>

#include "apps/cli/command_line.h"

namespace glassgrad {

struct Candidate {
  std::string word, what;
};
struct Completion {
  std::vector<Candidate> candidates;  // that begin as the word does
  bool files = false;                 // a path is meant, which the shell knows better
};

// Of a command line without the program's name, the last word: a command, a flag, a flag's value, a lesson, a
// step, a course. The command must know its lesson's flags already.
Completion completion_of(const CLI::App& program, std::vector<std::string> words);

// The scripts that ask `glassgrad help --complete`.
extern const char* const kBashCompletion;
extern const char* const kZshCompletion;

}  // namespace glassgrad
