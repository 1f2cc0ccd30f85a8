// The terminal while a program has the whole screen.
#pragma once
#include "apps/cli/output.h"

namespace glassgrad {

// From construction to destruction: the alternate screen, no cursor, keys as they are pressed. The terminal
// is restored, whatever ends the program (signals.h).
class Terminal {
 public:
  // Throws Error if the terminal refuses.
  explicit Terminal(Output& out);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Takes the screen again after a stop.
  void resume();

 private:
  Output& out_;
};

// Restores the terminal, if a Terminal has taken it. Safe in a signal handler, and more than once.
void restore_terminal();

// Bold, and 256 colours or true colours, if the terminal has them and NO_COLOR does not request plain text.
enum class Palette { None, Bold, Colours, TrueColours };
inline bool has_colours(Palette palette) { return palette >= Palette::Colours; }
Palette palette_of_terminal();
// Returns whether TERM names a terminal that can place the cursor.
bool terminal_can_draw();

}  // namespace glassgrad
