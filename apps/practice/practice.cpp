#include "apps/practice/practice.h"

#include <fmt/core.h>

#include <utility>

#include "apps/cli/text_width.h"
#include "apps/practice/full_screen.h"
#include "apps/practice/line_mode.h"
#include "apps/screen/screen.h"
#include "engine/core/error.h"

namespace glassgrad::practice {

void list_courses(bool keep, Output& out) {
  out.write("Write the missing lines yourself. Open one: glassgrad build COURSE\n\n");
  for (const exercise::Course* course : exercise::courses()) {
    exercise::Answers answers(*course);
    std::string remark;
    if (keep) try {
        answers = read_answers(*course, path_of_answers(*course));
      } catch (const Error&) {
        remark = ", its file cannot be read";
      }
    const exercise::Exercise* const open = answers.first_open();
    out.write(fmt::format("  {:<10} {:>2} of {:>2} solved   {} ({} minutes){}\n", course->id,
                          answers.solved(), course->exercises.size(), course->title, course->minutes,
                          remark));
    if (answers.solved() > 0 && open)
      out.write(fmt::format("{}next: {}, {}\n", std::string(28, ' '), course->index(*open) + 1, open->title));
  }
}

void practise(Session& session, const PracticeOptions& how, NavigationHistory& history, Output& out) {
  session.go_to(std::exchange(history.here.at, {}));
  SignalQueue signals;
  Input input(signals);
  const bool full = how.terminal && !how.lines && !how.speak && can_show_screen(out);
  const auto save = [&] {
    const std::string problem = session.save();
    if (!problem.empty()) out.write(fmt::format("Your answers are not kept: {}\n", printable(problem)));
  };
  try {
    full ? on_screen(session, history, input, out) : by_lines(session, how, history, input, out);
  } catch (...) {
    session.save();
    throw;
  }
  save();
}

}  // namespace glassgrad::practice
