#include "apps/stepper/screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/show/masked.h"
#include "apps/show/render.h"
#include "apps/terminal/painted.h"

namespace glassgrad::learn {
namespace {

constexpr size_t kAround = 6;  // lines of header and footer

Line header(const Navigator& navigator, size_t columns) {
  const Recording& recording = navigator.recording();
  const Step& step = navigator.step();
  const size_t steps = recording.steps.size();
  const std::string left = fmt::format(" {}  {}/{}  {}{}", recording.lesson->id, step.number, steps,
                                       section_text(step, "  "), step.id);
  constexpr size_t kBar = 20;
  const size_t done = (static_cast<size_t>(step.number) * kBar + steps - 1) / steps;
  const std::string bar = fmt::format("[{:.<{}}] ", std::string(done, '='), kBar);
  const bool room = columns_of(left) + 2 + bar.size() <= columns;
  return {{left_aligned(left, columns - (room ? bar.size() : 0)) + (room ? bar : ""), Style::Reverse}};
}

// A rule that says what is out of sight.
Line rule(const Frame& frame, size_t height, size_t columns) {
  const size_t lines = frame.body.size(), end = std::min(frame.top + height, lines);
  std::string text = "--";
  if (lines > height) text += fmt::format(" lines {} to {} of {} ", frame.top + 1, end, lines);
  const char* const key = frame.prompt ? "PgDn" : "Space";  // a space would be typed
  const std::string more = end < lines ? fmt::format(" more: {} below, {} --", lines - end, key) : "";
  const size_t taken = text.size() + more.size();
  text += std::string(columns > taken ? columns - taken : 0, '-');
  return {{text, Style::Faint}, {more, Style::Bold}};
}

// What is being typed, what there is to say, or where the chapter has the step and what the marks mean.
Line status(const Navigator& navigator, const Frame& frame, size_t columns, bool colours) {
  if (frame.prompt || !frame.message.empty())
    return {{cut(frame.prompt ? frame.prompt->text : frame.message, columns), Style::Bold}};
  const std::string place = anchor(navigator.recording(), navigator.step());
  if (!frame.marked) return {{place + (frame.changed ? "  ~ changed" : ""), Style::Faint}};
  const std::string before = fmt::format("{}{}", frame.changed ? "~ changed  " : "",
                                         frame.masked ? fmt::format("{} masked  ", kMaskedBlock) : "");
  const char* const longer = colours ? "teal above 0, orange below, stronger: larger"
                                     : "marks . - + * @: fifths of the largest |value|";
  for (const char* marks : {longer, colours ? "teal > 0, orange < 0" : ". - + * @: |value| / largest"})
    if (const size_t both = columns_of(place) + columns_of(before) + columns_of(marks); both + 2 <= columns)
      return {{place + std::string(columns - both, ' ') + before + marks, Style::Faint}};
  return {{place, Style::Faint}};
}

}  // namespace

Line keys_line(std::vector<KeyHint> keys, size_t columns) {
  const auto taken = [&] {
    size_t sum = 0;
    for (const KeyHint& k : keys) sum += columns_of(k.keys) + columns_of(k.what) + 3;
    return sum;
  };
  const auto rank = [](const KeyHint& a, const KeyHint& b) { return a.rank < b.rank; };
  while (keys.size() > 1 && taken() > columns + 2)
    keys.erase(std::max_element(keys.begin(), keys.end(), rank));
  Line line;
  for (const KeyHint& k : keys) {
    if (!line.empty()) line.push_back({"  "});
    line.push_back({k.keys, Style::Bold});
    line.push_back({" " + k.what});
  }
  return line;
}

size_t body_height(const Output::Screen& screen) {
  return screen.lines > kAround ? screen.lines - kAround : 1;
}

std::string drawn(const Navigator& navigator, const Frame& frame, const Output::Screen& screen,
                  Palette palette) {
  const size_t columns = std::max<size_t>(screen.columns, 1), height = body_height(screen);
  std::vector<Line> lines{header(navigator, columns),
                          {{" " + navigator.step().title, Style::Bold}},
                          {{std::string(columns, '-'), Style::Faint}}};
  for (size_t i = frame.top; i < frame.top + height; ++i) {
    lines.push_back(i < frame.body.size() ? frame.body[i] : Line{});
    if (!frame.searched.empty()) highlight(lines.back(), frame.searched);
  }
  lines.push_back(rule(frame, height, columns));
  lines.push_back(status(navigator, frame, columns, has_colours(palette)));
  lines.push_back(keys_line(frame.keys, columns));

  std::optional<Cursor> cursor;
  if (frame.prompt)
    cursor = {std::max<size_t>(std::min(lines.size(), screen.lines), 2) - 1,
              std::min(frame.prompt->cursor + 1, columns)};
  return painted(lines, screen, palette, cursor);
}

Lines help_lines() {
  constexpr std::pair<const char*, const char*> kKeys[] = {
      {"Enter, Space", "the rest of a long step, then the next step"},
      {"n", "next step; after a search, the next match"},
      {"b", "back one step"},
      {"g", "go to a step: its number, id or section, then Enter"},
      {"G", "last step"},
      {"/", "search titles, sentences, code, names, or a number: 0.3293"},
      {"N", "after a search, the match before; Esc ends the search"},
      {"]  [", "next lesson, lesson before; of a script, turns; L lists them"},
      {"B", "to the gradient of what the step shows, and back again"},
      {"t", "tensors as PyTorch prints them, or as grids"},
      {"Tab", "to the cells and back: arrows or hjkl move [the cell]"},
      {"PgDn PgUp", "among the cells: to the next tensor, the one before"},
      {"i, Enter", "open the cell; in it, open the number that > points to"},
      {"+  -", "add up the product that a cell is, one term more or less"},
      {"a", "a row of queries and keys as bars; Up and Down: another query"},
      {"Backspace", "close the cell that was opened last; Esc leaves the cells"},
      {"e", "set the cell, or TENSOR[i,j]=V; ~ stands before what changes"},
      {"E", "edit a line of the code: arrows choose it, Enter runs it"},
      {"r", "take the last change back, of a number or of a line"},
      {"c", "the class whose lines the step shows, whole"},
      {"w", "what the words of this step mean, from the glossary"},
      {"p", "a question about the step, to answer first; ? gives a hint"},
      {"f", "unfold or fold batches and tensors of 12 rows and more"},
      {"Down Up, j k", "scroll by a line"},
      {"PgDn PgUp", "scroll by a screen"},
      {"Home End", "beginning and end of the step"},
      {"Right Left, l h", "scroll wide tensors by a column"},
      {". - + * @", "without colours: size of the number, in fifths of the largest"},
      {"\u2591", "masked: a score of -inf, or the weight 0 that comes of it"},
      {"Ctrl-L", "draw the screen again"},
      {"Ctrl-Z", "pause; fg comes back"},
      {"q, Ctrl-C", "quit; the next session goes on from here"},
  };
  std::vector<Line> lines;
  for (const auto& [key, what] : kKeys)
    lines.push_back({{"  " + left_aligned(key, 17), Style::Bold}, {what}});
  return lines;
}

}  // namespace glassgrad::learn
