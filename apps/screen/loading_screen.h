// Computes something before there is a screen to show: if it takes longer than a moment, a screen says so.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

#include "apps/cli/output.h"
#include "apps/terminal/input.h"

namespace glassgrad {

struct LoadingScreenText {
  std::string title;  // "How does a small GPT learn?"
  std::string words;  // "Computing the lesson training ..."
};

enum class LoadingEnd : uint8_t {
  Whole,    // run() is done
  Stopped,  // by Esc or Ctrl-C
  Left,     // by q
};

// Calls run() on its own thread. Throws what run() throws; Interrupted for a signal other than Ctrl-C.
LoadingEnd run_loading_screen(const LoadingScreenText& text, const std::function<void()>& run, Input& input,
                              Output& out);

}  // namespace glassgrad
