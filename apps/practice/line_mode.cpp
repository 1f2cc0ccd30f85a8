#include "apps/practice/line_mode.h"

#include <fmt/core.h>

#include <unistd.h>

#include "apps/cli/complain.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/document_words.h"
#include "apps/practice/editor.h"
#include "apps/practice/exercise_page.h"
#include "apps/stepper/path_screen.h"

namespace glassgrad::practice {
namespace {

constexpr size_t kWidth = 80;
constexpr const char* kCommands =
    "hint, solution, undo, reset, edit, next, back, goto N, on, return, list, help, quit";

class TypedLines {
 public:
  TypedLines(Session& session, const PracticeOptions& how, NavigationHistory& history, Output& out)
      : session_(session), how_(how), history_(history), out_(out) {}

  void show() {
    const ExercisePage page = this->page();
    const exercise::Exercise& e = session_.exercise();
    if (how_.speak) return say_all(spoken_page(page));
    out_.write(fmt::format("{}. {}  ({} of {}{})\n\n", session_.index() + 1, e.title, session_.index() + 1,
                           session_.course().exercises.size(), session_.is_solved() ? ", solved" : ""));
    out_.write(text_of(lines_of(page, width())) + "\n");
  }

  // Handles a typed line. Returns false to quit.
  bool take(std::string_view line) {
    const std::string_view typed = learn::trimmed(line);
    if (!text_.empty()) {
      if (!typed.empty()) text_.append(line).append("\n");
      if (!typed.empty() && goes_on(text_)) return true;
      answer(std::exchange(text_, ""));
      return true;
    }
    if (typed.empty()) {
      if (session_.is_solved()) next();
      return true;
    }
    const size_t space = std::min(typed.find(' '), typed.size());
    if (obey(typed.substr(0, space), learn::trimmed(typed.substr(space)))) return !done_;
    text_ = std::string(line) + "\n";
    if (!goes_on(text_)) answer(std::exchange(text_, ""));
    return true;
  }
  void finish() {
    if (!text_.empty()) answer(std::exchange(text_, ""));
  }

  void prompt() {
    if (!how_.terminal) return;
    out_.write(!text_.empty()         ? "...> "
               : session_.is_solved() ? "Enter for the next, or a line> "
                                      : "your line> ");
  }

 private:
  ExercisePage page() {
    return {.course = session_.course(),
            .exercise = session_.exercise(),
            .given = session_.given(),
            .answer = exercise::lines_of(session_.text())};
  }
  size_t width() const {
    const size_t columns = how_.terminal ? out_.screen().columns : 0;
    return columns < 20 ? kWidth : std::min(columns, kWidth);
  }
  void say(const std::string& text) {
    for (const std::string& line : filled(text, 0, width())) out_.write(line + "\n");
  }
  void say_all(const std::vector<std::string>& sentences) {
    for (const std::string& s : sentences) out_.write(s + "\n");
  }

  // Runs the line if it is a command: one word, or goto and a number. Returns false if it is no command.
  bool obey(std::string_view word, std::string_view rest) {
    if (word == "goto" && !rest.empty() && rest.find(' ') == std::string_view::npos) {
      if (session_.go_to(rest))
        show();
      else
        say(fmt::format("There is no exercise '{}'; there are 1 to {}.", printable(rest),
                        session_.course().exercises.size()));
      return true;
    }
    if (!rest.empty()) return false;
    if (learn::is_travel(word)) return travel(word), true;
    if (word == "hint") {
      if (session_.hint())
        say(fmt::format("Hint {}: {}", session_.hints(), session_.exercise().hints[session_.hints() - 1]));
      else
        say("There are three hints, and you have seen them. `solution` shows the line.");
    } else if (word == "solution") {
      session_.show_solution();
      out_.write(exercise::text_of(session_.exercise().solution));
    } else if (word == "undo") {
      say(session_.undo() ? "The answer before is back." : "There is no answer before this one.");
    } else if (word == "reset") {
      session_.reset();
      say("The blank is empty again.");
    } else if (word == "next") {
      next();
    } else if (word == "back") {
      session_.back() ? show() : say("This is the first exercise.");
    } else if (word == "edit") {
      edit();
    } else if (word == "help" || word == "?") {
      say(fmt::format(
          "{}. Everything else is your answer. A line that ends with : or has an open bracket goes on; an "
          "empty line ends it.",
          kCommands));
    } else if (word == "quit" || word == "q") {
      done_ = true;
    } else {
      return false;
    }
    return true;
  }

  void travel(std::string_view word) {
    learn::Destination found = learn::destination(
        word, session_.stop(), {history_.here.words, session_.exercise().id}, history_, session_.progress());
    if (!found.problem.empty()) return say(found.problem);
    history_.behind = std::move(found.behind);
    history_.go(std::move(found.to));
    done_ = true;
  }

  void next() {
    if (session_.next()) return show();
    if (session_.answers().first_open() == nullptr) return end();
    say("This is the last exercise.");
  }

  // Runs the program after all exercises are solved.
  void end() {
    const std::string on =
        fmt::format("`on` {}.", learn::on_text(session_.stop(), history_, session_.progress()));
    if (session_.course().ending.empty()) return say("This is the last exercise, and all are solved. " + on);
    for (const std::string& paragraph : session_.course().ending_prose) say(paragraph);
    try {
      session_.run_ending([&](std::string_view text) {
        out_.write(text);
        out_.flush();
      });
    } catch (const Error& e) {
      say(printable(e.what()));
    }
    say(on);
  }

  void edit() {
    if (!how_.terminal) return say("edit needs a terminal.");
    out_.flush();
    try {
      if (const auto text = edited(session_.exercise(), session_.text())) answer(*text);
    } catch (const Error& e) {
      say(printable(e.what()));
    }
  }

  void answer(const std::string& text) {
    exercise::Verdict verdict = session_.check(text);
    session_.take(exercise::text_of(exercise::lines_of(text)), std::move(verdict));
    const exercise::Verdict& v = *session_.verdict();
    if (how_.speak)
      say_all(spoken_verdict(v));
    else
      out_.write(text_of(verdict_lines(v, width())));
    if (v.kind == exercise::Verdict::Right) {
      if (session_.answers().first_open() == nullptr && session_.is_last()) return end();
      if (!how_.terminal && session_.next()) {  // answers from a pipe follow one another
        out_.write("\n");
        show();
      }
    }
  }

  Session& session_;
  const PracticeOptions& how_;
  NavigationHistory& history_;
  Output& out_;
  std::string text_;  // the beginning of an unfinished answer
  bool done_ = false;
};

}  // namespace

bool goes_on(std::string_view text) {
  int open = 0;
  char quote = 0, last = 0;
  size_t begin = 0, lines = 0;
  bool comment = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\n') {
      comment = false, quote = 0;
      ++lines;
      if (i + 1 < text.size()) begin = i + 1;
      continue;
    }
    if (comment) continue;
    if (quote) {
      if (c == '\\') ++i;
      if (c == quote) quote = 0;
      continue;
    }
    if (c == '#') {
      comment = true;
      continue;
    }
    if (c == '"' || c == '\'') quote = c;
    if (c == '(' || c == '[' || c == '{') ++open;
    if (c == ')' || c == ']' || c == '}') --open;
    if (c != ' ') last = c;
  }
  const bool in_block = lines > 1 && begin < text.size() && text[begin] == ' ';
  return open > 0 || last == ':' || last == '\\' || in_block;
}

void by_lines(Session& session, const PracticeOptions& how, NavigationHistory& history, Input& input,
              Output& out) {
  TypedLines lines(session, how, history, out);
  if (!session.remark().empty()) out.write(session.remark() + "\n");
  if (!how.terminal)
    out.write("Write the line that takes the place of `...`. `help` lists the commands.\n\n");
  lines.show();
  while (true) {
    lines.prompt();
    out.flush();
    const std::optional<std::string> line = input.line();
    if (!line) break;
    if (!lines.take(*line)) return;
    session.save();
  }
  lines.finish();
  if (how.terminal) out.write("\n");
}

}  // namespace glassgrad::practice
