#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/graph/drawing.h"
#include "apps/ask/graph/render.h"
#include "apps/cli/text_width.h"

namespace glassgrad::graph {
namespace {

constexpr double kTitle = 24;

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    if (c == '&')
      safe += "&amp;";
    else if (c == '<')
      safe += "&lt;";
    else if (c == '>')
      safe += "&gt;";
    else
      safe += c;
  }
  return safe;
}

Layout layout_of(const Graph& graph) {
  std::vector<Size> sizes;
  std::vector<std::vector<size_t>> from;
  for (const Box& box : graph.boxes) {
    sizes.push_back(size_of(lines_of(box)));
    from.push_back(box.from);
  }
  return layered(sizes, from);
}

std::string drawn(const Box& box, const Point& at) {
  const std::vector<std::string> lines = lines_of(box);
  const Size size = size_of(lines);
  const char* fill = box.kind == Box::Kind::Leaf     ? "#dcecf9"
                     : box.kind == Box::Kind::Module ? "#fdf3d0"
                                                     : "#ffffff";
  std::string text = fmt::format(
      "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" rx=\"4\" fill=\"{}\" "
      "stroke=\"#444444\"/>\n",
      at.x - size.width / 2, at.y, size.width, size.height, fill);
  double y = at.y + kLine;
  const char* weight = " font-weight=\"bold\"";
  for (const std::string& line : lines) {
    text += fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\"{}>{}</text>\n", at.x, y, weight, escaped(line));
    weight = "";
    y += kLine;
  }
  return text;
}

}  // namespace

void render_svg(const Graph& graph, Output& out) {
  Layout layout = layout_of(graph);
  const double width = std::max(layout.width, width_of(graph.title) + 2 * kTitle);
  const double shift = (width - layout.width) / 2;
  for (Point& p : layout.boxes) p.x += shift, p.y += kTitle;
  for (Wire& wire : layout.wires)
    for (Point& p : wire.points) p.x += shift, p.y += kTitle;
  const double height = layout.height + kTitle;
  const std::string title = escaped(graph.title);

  out.write(fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" role=\"img\" font-family=\"monospace\" font-size=\"{2:.0f}\" "
      "text-anchor=\"middle\">\n<title>{3}</title>\n",
      width, height, kFont, title));
  out.write(
      "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"8\" "
      "markerHeight=\"8\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" fill=\"#444444\"/></marker></defs>\n");
  out.write("<rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>\n");
  out.write(fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" font-weight=\"bold\">{}</text>\n", width / 2, kTitle,
                        title));
  out.write("<g fill=\"none\" stroke=\"#444444\" marker-end=\"url(#tip)\">\n");
  for (const Wire& wire : layout.wires) out.write(fmt::format("<path d=\"{}\"/>\n", path_of(wire)));
  out.write("</g>\n");
  for (size_t i = 0; i < graph.boxes.size(); ++i) out.write(drawn(graph.boxes[i], layout.boxes[i]));
  out.write("</svg>\n");
}

}  // namespace glassgrad::graph
