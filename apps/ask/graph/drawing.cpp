#include "apps/ask/graph/drawing.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/text_width.h"

namespace glassgrad::graph {
namespace {

// The widest monospaced font in use has letters 0.61 of its size wide.
constexpr double kLetter = 0.61 * kFont, kPadding = 8;

}  // namespace

double width_of(std::string_view text) { return double(columns_of(text)) * kLetter; }

Size size_of(const std::vector<std::string>& lines) {
  double widest = 0;
  for (const std::string& line : lines) widest = std::max(widest, width_of(line));
  return {widest + 2 * kPadding, double(lines.size()) * kLine + kPadding};
}

std::string path_of(const Wire& wire) {
  const std::vector<Point>& p = wire.points;
  std::string path = fmt::format("M{:.1f} {:.1f}", p[0].x, p[0].y);
  for (size_t i = 1; i < p.size(); ++i) {
    const double middle = (p[i - 1].y + p[i].y) / 2;
    if (i % 2 == 1)
      path += fmt::format("V{:.1f}", p[i].y);
    else
      path += fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", p[i - 1].x, middle, p[i].x, middle,
                          p[i].x, p[i].y);
  }
  return path;
}

}  // namespace glassgrad::graph
