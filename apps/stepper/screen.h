// What the full screen looks like: a header, as much of a page as fits, and a footer.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/cli/output.h"
#include "apps/stepper/navigator.h"
#include "apps/terminal/lines.h"
#include "apps/terminal/typed_line.h"

namespace glassgrad::learn {

// The smallest screen that a step can be read on.
constexpr size_t kLeastColumns = 80, kLeastLines = 24;

// A key and what it does now; `rank`: which ones go first where not all fit, from 0.
struct KeyHint {
  std::string keys, what;
  int rank = 0;
};

struct Frame {
  const Lines& body;
  bool marked = false;                     // it has marks or colours that want to be explained
  bool masked = false;                     // so have the blocks
  bool changed = false;                    // so have the numbers that have changed
  std::string searched;                    // stands out wherever it is seen
  size_t top = 0;                          // the first line of the body that is seen
  std::string message;                     // instead of the anchor
  std::optional<TypedLine::Shown> prompt;  // being typed, instead of both
  std::vector<KeyHint> keys;
};

// Lines between header and footer.
size_t body_height(const Output::Screen& screen);

// The whole screen, as bytes for the terminal.
std::string drawn(const Navigator& navigator, const Frame& frame, const Output::Screen& screen,
                  Palette palette);

// As many of them as fit.
Line keys_line(std::vector<KeyHint> keys, size_t columns);

// All keys, a line each.
Lines help_lines();

}  // namespace glassgrad::learn
