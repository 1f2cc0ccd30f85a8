#include "apps/learn/stepper.h"

#include <iostream>
#include <optional>

#include "apps/arguments.h"
#include "apps/learn/selection.h"

namespace glassgrad::learn {
namespace {

constexpr const char* kPrompt = "Enter next, b back, q quit, or a step's number, id or section: ";

std::optional<std::string> ask(Output& out) {
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

}  // namespace

void step_through(const Recording& recording, Steps steps, Output& out) {
  size_t at = 0;
  bool show = true;
  while (at < steps.size()) {
    if (show) render_step(recording, steps[at], out);
    show = true;
    const std::optional<std::string> answer = ask(out);
    if (!answer || *answer == "q" || *answer == "quit") return;
    if (answer->empty() || *answer == "n" || *answer == "next") {
      ++at;
    } else if (*answer == "b" || *answer == "back") {
      show = at > 0;
      if (show) --at;
      else out.write("This is the first step.\n");
    } else {
      try {
        const Step* step = find_steps(recording, *answer).data();
        steps = recording.steps;  // whoever asks for a step may leave the part that was asked for at first
        at = static_cast<size_t>(step - steps.data());
      } catch (const UsageError& e) {
        show = false;
        out.write(std::string(e.what()) + "\n");
      }
    }
  }
}

}  // namespace glassgrad::learn
