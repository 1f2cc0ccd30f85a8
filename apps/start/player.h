// Shows the pages: on the full screen of a terminal, page by page on a terminal that cannot place a cursor,
// all at once elsewhere.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/navigation_history.h"
#include "apps/cli/output.h"
#include "apps/screen/key_rows.h"
#include "apps/start/pages.h"
#include "apps/stepper/progress.h"
#include "apps/terminal/input.h"

namespace glassgrad::start {

struct StartOptions {
  bool speak = false;
  size_t from = 0;             // index in kPages
  std::string message = {};    // shown on the first page
  NavigationHistory& history;  // history.next: where the program goes on
  const learn::Progress& progress;
  std::function<void(size_t place)> arrived;  // called at each page
  std::function<void(const std::string& word)> guessed;
};
// Throws Interrupted on a signal; the terminal is then restored.
void show_on_screen(Story& story, Learner learner, const StartOptions& how, Input& input, Output& out);
std::vector<KeyTable> start_keys();  // the keys of that screen
// Commands are typed: Enter goes on, a number chooses, i opens, q leaves.
void show_by_lines(Story& story, Learner learner, const StartOptions& how, Input& input, Output& out);
// Shows all pages without keys. `guess` is called when the training is over.
void show_all(Story& story, Learner learner, const StartOptions& how,
              const std::function<std::optional<std::string>()>& guess, Output& out);

// Returns why the file cannot be read, a sentence; empty if it can.
std::string problem_of_file(const std::string& path);

// Returns the word that a line means: one of the words, or its number; nothing if none fits.
std::optional<std::string> word_meant(const std::string& line, const std::vector<std::string>& words);

}  // namespace glassgrad::start
