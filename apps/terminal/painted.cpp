#include "apps/terminal/painted.h"

#include <fmt/format.h>

#include <algorithm>

namespace glassgrad {
namespace {

// Terminals that know these show the frame in between at once.
constexpr const char *kBeginFrame = "\033[?2026h", *kEndFrame = "\033[?2026l";

}  // namespace

std::string painted(const std::vector<Line>& lines, const Output::Screen& screen, Palette palette,
                    std::optional<Cursor> cursor) {
  std::string bytes = fmt::format("{}\033[?25l\033[H", kBeginFrame);
  const size_t shown = std::min(lines.size(), std::max<size_t>(screen.lines, 1));
  for (size_t i = 0; i < shown; ++i)  // erased first: after a full line the cursor is still on it
    bytes += "\033[K" + paint(lines[i], std::max<size_t>(screen.columns, 1), palette) +
             (i + 1 < shown ? "\r\n" : "");
  if (cursor) bytes += fmt::format("\033[{};{}H\033[?25h", cursor->line, cursor->column);
  return bytes + kEndFrame;
}

}  // namespace glassgrad
