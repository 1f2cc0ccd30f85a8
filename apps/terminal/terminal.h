// The terminal while a program has the whole screen.
#pragma once
#include "apps/cli/output.h"

namespace glassgrad {

// From construction to destruction: the other screen, no cursor, keys as they are pressed. It ends as it was
// before, whatever ends the program (signals.h).
class Terminal {
 public:
  // Error: the terminal refuses.
  explicit Terminal(Output& out);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // After a stop: takes the screen again.
  void resume();

 private:
  Output& out_;
};

// Gives the terminal back as it was, if a Terminal has it. Safe in a signal handler, and more than once.
void restore_terminal();

// Bold, and 256 colours or all of them, where the terminal has them and NO_COLOR does not ask for plain text.
enum class Palette { None, Bold, Colours, TrueColours };
inline bool has_colours(Palette palette) { return palette >= Palette::Colours; }
Palette palette_of_terminal();
// TERM says that it can place the cursor.
bool terminal_can_draw();

}  // namespace glassgrad
