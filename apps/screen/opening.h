// What is computed before there is a screen to show: if it takes longer than a moment, a screen says so.
#pragma once
#include <functional>
#include <string>

#include "apps/cli/output.h"
#include "apps/terminal/input.h"

namespace glassgrad {

struct Opening {
  std::string title;  // "How does a small GPT learn?"
  std::string words;  // "Computing the lesson training ..."
};

enum class OpeningEnd : uint8_t {
  Whole,    // run() is done
  Stopped,  // by Esc or Ctrl-C
  Left,     // by q
};

// run() on a thread of its own. Throws what run() throws; Interrupted: a signal came that is no Ctrl-C.
OpeningEnd run_opening(const Opening& opening, const std::function<void()>& run, Input& input, Output& out);

}  // namespace glassgrad
