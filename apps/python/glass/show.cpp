#include "show.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <unistd.h>

#include "apps/ask/backward.h"
#include "apps/ask/what_if.h"
#include "apps/ask/why/explanation.h"
#include "apps/cli/arguments.h"
#include "apps/cli/json_number.h"
#include "apps/page/document.h"
#include "apps/page/lesson_page.h"
#include "apps/show/render.h"
#include "apps/stepper/stepper.h"
#include "apps/terminal/exit_code.h"
#include "apps/terminal/signals.h"

#include <nlohmann/json.hpp>

namespace glassgrad::python {
namespace {

using learn::Recording;

// Reads keys from the terminal even if the program's stdin was redirected.
void take_keys_from_terminal() {
  if (::isatty(STDIN_FILENO)) return;
  const int terminal = ::open("/dev/tty", O_RDONLY | O_CLOEXEC);
  if (terminal < 0) return;
  ::dup2(terminal, STDIN_FILENO);
  ::close(terminal);
}

bool is_backward_address(const std::string& address) {
  constexpr std::string_view kStep = "backward-";
  return address.starts_with(kStep);
}

void open_numbers(const Recording& forward, const ShowOptions& o, Output& out) {
  std::optional<Recording> backward;
  for (const std::string& address : o.why) {
    const bool back = is_backward_address(address);
    if (back && !backward) backward = backward_steps(forward);
    const Recording& side = back ? *backward : forward;
    const learn::Address cell = learn::find_cell(side, address, nullptr);
    if (o.form == "json") {
      out.write(json_text(why::cell_json(side, cell, o.depth)) + "\n");
      continue;
    }
    if (&address != &o.why.front()) out.write("\n");
    out.write(text_of(why::explain(side, cell, {.writing = {.exact = o.exact}, .depth = o.depth})));
  }
}

// Returns the selected steps and the passes that began in them.
Recording part_of(const Recording& whole, const ShowOptions& o) {
  Recording part = whole;
  const learn::Steps steps = select_steps(whole, o.from, o.to);
  const auto first = size_t(steps.data() - whole.steps.data());
  part.steps.assign(steps.begin(), steps.end());
  std::erase_if(part.passes, [&](const learn::BackwardPass& l) {
    return l.step < first || l.step >= first + steps.size();
  });
  for (learn::BackwardPass& l : part.passes) l.step -= first;
  return part;
}

void write_page(const Recording& whole, const ShowOptions& o, Output& out) {
  const Recording forward = part_of(whole, o);
  std::optional<Recording> backward;
  if (!forward.passes.empty()) backward = backward_steps(forward);
  const std::string page = explorer::lesson_page(
      {.forward = forward, .backward = backward ? &*backward : nullptr, .settings = nullptr, .set = o.set});
  explorer::write_page(o.path, page, out);
}

void print(const Recording& recording, const ShowOptions& o, Output& out) {
  const learn::Steps steps =
      o.from || o.to ? select_steps(recording, o.from, o.to) : learn::Steps(recording.steps);
  if (o.form == "plain")
    render_plain(recording, steps, out);
  else if (o.form == "list")
    render_list(steps, out);
  else if (o.form == "json")
    render_json(recording, steps, out);
  else if (o.form == "markdown")
    render_markdown(recording, steps, out);
  else
    render_text(recording, steps, out);
}

void show(const learn::Lesson& lesson, const learn::Runner& runner, const std::string& flags,
          const ShowOptions& o, Output& out) {
  const auto opened = [&](const learn::Lesson&) {
    learn::WhatIf what_if(runner, flags, learn::Keep::Backward);
    what_if.set(o.set);
    return what_if;
  };
  if (o.form == "step" || (o.form.empty() && out.is_terminal() && o.why.empty())) {
    take_keys_from_terminal();
    const bool terminal = out.is_terminal() && ::isatty(STDIN_FILENO) == 1;
    NavigationHistory history;
    step_through(lesson, opened,
                 {.terminal = terminal,
                  .lines = o.form == "step",
                  .knows = false,
                  .keep = false,
                  .backward = o.backward,
                  .from = o.from,
                  .to = o.to,
                  .at_end = o.at_end},
                 history, out);
    return;
  }
  const learn::WhatIf what_if = opened(lesson);
  const Recording& forward = what_if.recording();
  if (!o.why.empty()) return open_numbers(forward, o, out);
  if (o.form == "html") return write_page(forward, o, out);
  if (!o.backward) return print(forward, o, out);
  print(backward_steps(forward), o, out);
}

}  // namespace

int show(const learn::Lesson& lesson, const learn::Runner& runner, const std::string& flags,
         const ShowOptions& options) {
  end_on_signals();
  return exit_code_of([&](Output& out) { show(lesson, runner, flags, options, out); });
}

}  // namespace glassgrad::python
