#include "apps/learn/stepper.h"

#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <optional>

#include "apps/arguments.h"
#include "apps/learn/selection.h"

namespace glassgrad::learn {
namespace {

constexpr const char* kPrompt = "Enter next, b back, q quit, or a step's number, id or section: ";
constexpr const char* kMorePrompt = "(more) ";
// A terminal that claims to have less does not know.
constexpr size_t kFewestLines = 5, kFewestColumns = 20;

// Bold titles are welcome on a terminal that can, unless NO_COLOR asks for plain text.
bool bold_is_welcome() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  return !(no_color && *no_color) && terminal && std::string_view(terminal) != "dumb";
}

// Nothing at the end of the input.
std::optional<std::string> ask(bool more, Output& out) {
  if (more) out.write(kMorePrompt);
  out.write(kPrompt);
  out.flush();
  std::string line;
  if (!std::getline(std::cin, line)) {
    out.write("\n");
    return {};
  }
  const size_t first = line.find_first_not_of(" \t\r"), last = line.find_last_not_of(" \t\r");
  return first == std::string::npos ? "" : line.substr(first, last - first + 1);
}

// The lines of the screen that a line of text takes: one that is too wide goes on in the next.
size_t lines_taken(std::string_view line, size_t columns) {
  const auto characters = static_cast<size_t>(std::count_if(
      line.begin(), line.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; }));
  return columns < kFewestColumns || characters == 0 ? 1 : (characters + columns - 1) / columns;
}

// Writes as many lines as fit above the prompt, but at least one; what is left of the text.
std::string_view write_page(std::string_view text, Output& out) {
  const auto [lines, columns] = out.screen();
  size_t end = text.size();
  if (lines >= kFewestLines) {
    size_t taken = lines_taken(std::string(kMorePrompt) + kPrompt, columns);
    end = 0;
    while (end < text.size()) {
      const size_t next = std::min(text.find('\n', end), text.size() - 1) + 1;
      taken += lines_taken(text.substr(end, next - end - 1), columns);
      if (taken > lines && end > 0) break;
      end = next;
    }
  }
  out.write(text.substr(0, end));
  return text.substr(end);
}

// For the sentences: not wider than they are elsewhere.
size_t text_width(const Output& out) {
  const size_t columns = out.screen().columns;
  return columns < kFewestColumns ? kWidth : std::min(columns - 1, kWidth);
}

}  // namespace

void step_through(const Recording& recording, Steps steps, Output& out) {
  const bool bold = bold_is_welcome();
  std::string text;
  std::string_view left;
  size_t at = 0;
  const auto open = [&](size_t step) {
    at = step;
    text = step_text(recording, steps[at], bold, text_width(out));
    left = write_page(text, out);
  };
  open(0);
  while (const std::optional<std::string> answer = ask(!left.empty(), out)) {
    if (*answer == "q" || *answer == "quit") return;
    if (answer->empty() || *answer == "n" || *answer == "next") {
      if (!left.empty())
        left = write_page(left, out);
      else if (at + 1 < steps.size())
        open(at + 1);
      else
        return;
    } else if (*answer == "b" || *answer == "back") {
      if (at > 0)
        open(at - 1);
      else
        out.write("This is the first step.\n");
    } else {
      try {
        const Step& step = find_steps(recording, *answer).front();
        steps = recording.steps;  // whoever asks for a step may leave the part that was asked for at first
        open(static_cast<size_t>(&step - steps.data()));
      } catch (const UsageError& e) {
        out.write(std::string(e.what()) + "\n");
      }
    }
  }
}

}  // namespace glassgrad::learn
