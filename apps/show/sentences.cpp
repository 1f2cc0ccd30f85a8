#include "apps/show/sentences.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/lesson/markdown.h"

namespace glassgrad::learn {
namespace {

// Text with a style for each byte.
struct Styled {
  std::string text;
  std::vector<Style> styles;

  void add(std::string_view more, Style style) {
    text += more;
    styles.resize(text.size(), style);
  }
};

Style style_of(const MarkedWords& w) {
  return w.kind == MarkedWords::Term   ? Style::Underline
         : w.kind == MarkedWords::Bold ? Style::Bold
                                       : Style::Plain;
}

// "journey#masked-scores" of "journey.md#masked-scores", as `glassgrad docs` takes it; nothing for a place on
// the same page.
std::string address_of(std::string link) {
  constexpr std::string_view kEnding = ".md";
  if (link.starts_with('#')) return {};
  if (const size_t at = link.find(kEnding); at != std::string::npos) link.erase(at, kEnding.size());
  return link;
}

void add(Styled& to, std::string_view sentence) {
  const std::vector<MarkedWords> all = words_of(sentence);
  for (size_t i = 0; i < all.size(); ++i) {
    to.add(all[i].text, style_of(all[i]));
    const bool link_ends = i + 1 == all.size() || all[i + 1].link != all[i].link;
    if (!link_ends) continue;
    const std::string address = address_of(all[i].link);
    if (!address.empty() && address != all[i].text) to.add(fmt::format(" ({})", address), Style::Plain);
  }
}

// The styles of what filled() has made of the text: it only drops spaces and adds margins.
Line painted(const std::string& line, const Styled& from, size_t& at) {
  Line made;
  for (const char c : line) {
    Style style = Style::Plain;
    if (c == ' ') {
      const bool is_inside = at > 0 && at < from.text.size() && from.text[at] == ' ';
      if (is_inside && !made.empty()) style = from.styles[at];
    } else {
      while (from.text[at] == ' ') ++at;
      style = from.styles[at++];
    }
    if (made.empty() || made.back().style != style) made.push_back({{}, style});
    made.back().text += c;
  }
  return made;
}

void fill(std::vector<Line>& lines, const Styled& text, size_t margin, size_t columns) {
  if (text.text.empty()) return;
  size_t at = 0;
  for (const std::string& line : filled(text.text, margin, columns)) lines.push_back(painted(line, text, at));
}

}  // namespace

std::vector<Line> said(std::span<const std::string> sentences, size_t columns) {
  std::vector<Line> lines;
  Styled text;
  for (const std::string& sentence : sentences) {
    if (sentence.starts_with(kPoint)) {
      fill(lines, std::exchange(text, {}), 0, columns);
      const size_t first = lines.size();
      Styled point;
      add(point, std::string_view(sentence).substr(kPoint.size()));
      fill(lines, point, kPoint.size(), columns);
      if (first < lines.size()) lines[first].front().text.replace(0, kPoint.size(), kPoint);
      continue;
    }
    if (!text.text.empty()) text.add(" ", Style::Plain);
    add(text, sentence);
  }
  fill(lines, text, 0, columns);
  return lines;
}

std::string said_text(std::span<const std::string> sentences, size_t columns) {
  std::string text;
  for (const Line& line : said(sentences, columns)) text += plain_text(line) + "\n";
  return text;
}

std::string whose_text(const Entry& entry) {
  switch (entry.whose) {
    case Whose::Source:
      return entry.printed ? "printed" : "";
    case Whose::OurPrint:
      return "our print";
    case Whose::Ours:
      return entry.printed ? "ours, printed" : "ours";
    case Whose::Wrong:
      return "wrong";
    case Whose::View:
      return "computed for you to see";
  }
  return "";
}

const char* before_text(const CodeBlock& block) { return block.whose == Whose::Wrong ? "right" : "was"; }

std::string whose_text(const Step& step, const CodeBlock& block) {
  const auto any = [&](auto is) { return std::any_of(step.code_blocks.begin(), step.code_blocks.end(), is); };
  const auto is_ours = [](const CodeBlock& b) { return b.whose == Whose::Ours; };
  const auto is_inside = [](const CodeBlock& b) { return !b.inside.empty(); };
  if (block.whose == Whose::Wrong) return fmt::format("wrong: {}", plain_words(block.mistake));
  if (is_inside(block)) return fmt::format("{}inside {}", is_ours(block) ? "ours, " : "", block.inside);
  return is_ours(block) ? "ours" : any(is_ours) ? "the source" : any(is_inside) ? "the program" : "";
}

}  // namespace glassgrad::learn
