#include "apps/show/sentences.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/lesson/lesson.h"
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

// Returns "journey#masked-scores" for "journey.md#masked-scores", as `glassgrad docs` takes it; nothing for a
// place on the same page.
std::string address_of(std::string link) {
  constexpr std::string_view kEnding = ".md";
  if (link.starts_with('#')) return {};
  if (const size_t at = link.find(kEnding); at != std::string::npos) link.erase(at, kEnding.size());
  return link;
}

bool ends_link(const std::vector<MarkedWords>& all, size_t i) {
  return !all[i].link.empty() && (i + 1 == all.size() || all[i + 1].link != all[i].link);
}

// links: the number of links so far. lit: the link to highlight.
void add(Styled& to, std::string_view sentence, size_t& links, std::optional<size_t> lit) {
  const std::vector<MarkedWords> all = split_markdown(sentence);
  for (size_t i = 0; i < all.size(); ++i) {
    to.add(all[i].text, !all[i].link.empty() && links == lit ? Style::Cursor : style_of(all[i]));
    if (!ends_link(all, i)) continue;
    ++links;
    const std::string address = address_of(all[i].link);
    if (!address.empty() && address != all[i].text) to.add(fmt::format(" ({})", address), Style::Plain);
  }
}

// Gives a line of filled() the styles of the text. filled() only drops spaces and adds margins, so the
// letters match.
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

std::vector<std::string> links_of(std::span<const std::string> sentences) {
  std::vector<std::string> links;
  for (const std::string& sentence : sentences) {
    const std::vector<MarkedWords> all = split_markdown(sentence);
    for (size_t i = 0; i < all.size(); ++i)
      if (ends_link(all, i)) links.push_back(all[i].link);
  }
  return links;
}

std::vector<Line> said(std::span<const std::string> sentences, size_t columns, std::optional<size_t> lit) {
  std::vector<Line> lines;
  size_t links = 0;
  Styled text;
  for (const std::string& sentence : sentences) {
    if (sentence.starts_with(kPoint)) {
      fill(lines, std::exchange(text, {}), 0, columns);
      const size_t first = lines.size();
      Styled point;
      add(point, std::string_view(sentence).substr(kPoint.size()), links, lit);
      fill(lines, point, kPoint.size(), columns);
      if (first < lines.size()) lines[first].front().text.replace(0, kPoint.size(), kPoint);
      continue;
    }
    if (!text.text.empty()) text.add(" ", Style::Plain);
    add(text, sentence, links, lit);
  }
  fill(lines, text, 0, columns);
  return lines;
}

std::string said_text(std::span<const std::string> sentences, size_t columns) {
  std::string text;
  for (const Line& line : said(sentences, columns)) text += plain_text(line) + "\n";
  return text;
}

namespace {

// Remarks on which parts are ours are shown only if the lesson follows a source.
bool follows_a_source(const Recording& recording) { return recording.lesson->sources == 1; }

}  // namespace

std::string whose_text(const Recording& recording, const Entry& entry) {
  if (entry.whose == Whose::Wrong) return "wrong";
  if (entry.whose == Whose::Source || !follows_a_source(recording)) return "";
  return entry.whose == Whose::OurPrint ? "our print" : "ours";
}

const char* before_text(const CodeBlock& block) { return block.whose == Whose::Wrong ? "right" : "was"; }

std::string whose_text(const Recording& recording, const Step& step, const CodeBlock& block) {
  if (block.whose == Whose::Wrong) return fmt::format("wrong: {}", plain_words(block.mistake));
  const bool ours = block.whose == Whose::Ours && follows_a_source(recording);
  if (!block.inside.empty()) return fmt::format("{}inside {}", ours ? "ours, " : "", block.inside);
  if (ours) return "ours";
  const auto any = [&](auto is) { return std::any_of(step.code_blocks.begin(), step.code_blocks.end(), is); };
  const bool is_beside_ours = any([](const CodeBlock& b) { return b.whose == Whose::Ours; });
  if (is_beside_ours && follows_a_source(recording)) return "the source";
  return any([](const CodeBlock& b) { return !b.inside.empty(); }) ? "the program" : "";
}

}  // namespace glassgrad::learn
