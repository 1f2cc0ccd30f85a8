#include "apps/terminal/terminal.h"

#include <termios.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "engine/io/file.h"

namespace glassgrad {
namespace {

// Switches to the alternate screen, hides the cursor, turns off wrapping at the right edge; and back.
constexpr std::string_view kEnter = "\033[?1049h\033[?25l\033[?7l";
constexpr std::string_view kLeave = "\033[?7h\033[?25h\033[?1049l", kPlainLetters = "\033[0m";

// The state for restore_terminal, which signal handlers read.
termios saved;
volatile std::sig_atomic_t taken = 0, styled = 0;

void write_now(std::string_view bytes) {
  [[maybe_unused]] const ssize_t written = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
}

termios raw(termios t) {
  t.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO | IEXTEN);
  t.c_lflag |= ISIG;
  t.c_iflag &= ~static_cast<tcflag_t>(IXON | ICRNL | INLCR | IGNCR | ISTRIP);
  t.c_cc[VMIN] = 1;
  t.c_cc[VTIME] = 0;
  return t;
}

void take(Output& out) {
  const termios wanted = raw(saved);
  int done;
  do done = ::tcsetattr(STDIN_FILENO, TCSANOW, &wanted);
  while (done != 0 && errno == EINTR);
  check_system(done == 0, "cannot set the terminal: {}");
  if (!taken) out.control(kEnter);
  taken = 1;
  out.flush();
}

std::string_view environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

}  // namespace

Terminal::Terminal(Output& out) : out_(out) {
  check_system(::tcgetattr(STDIN_FILENO, &saved) == 0, "cannot read the terminal's settings: {}");
  styled = palette_of_terminal() != Palette::None;
  take(out_);
}

Terminal::~Terminal() { restore_terminal(); }

void Terminal::resume() { take(out_); }

void restore_terminal() {
  if (!taken) return;
  taken = 0;
  // SIGTTOU would stop a background process that writes to its terminal, so block the signal meanwhile.
  sigset_t background, before;
  sigemptyset(&background);
  sigaddset(&background, SIGTTOU);
  ::sigprocmask(SIG_BLOCK, &background, &before);
  if (styled) write_now(kPlainLetters);
  write_now(kLeave);
  ::tcsetattr(STDIN_FILENO, TCSANOW, &saved);
  ::sigprocmask(SIG_SETMASK, &before, nullptr);
}

bool terminal_can_draw() {
  const std::string_view name = environment("TERM");
  return !name.empty() && name != "dumb";
}

Palette palette_of_terminal() {
  if (!environment("NO_COLOR").empty() || !terminal_can_draw()) return Palette::None;
  const std::string_view colours = environment("COLORTERM");
  if (colours == "truecolor" || colours == "24bit" || environment("TERM").ends_with("-direct"))
    return Palette::TrueColours;
  const bool many = environment("TERM").find("256color") != std::string_view::npos || !colours.empty();
  return many ? Palette::Colours : Palette::Bold;
}

}  // namespace glassgrad
