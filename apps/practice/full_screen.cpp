#include "apps/practice/full_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/cli/complain.h"
#include "apps/cli/text_width.h"
#include "apps/practice/editor.h"
#include "apps/practice/exercise_page.h"
#include "apps/practice/line_mode.h"
#include "apps/practice/text_field.h"
#include "apps/stepper/background.h"
#include "apps/stepper/screen.h"
#include "apps/stepper/scroll.h"
#include "apps/terminal/terminal.h"

namespace glassgrad::practice {
namespace {

using learn::Background;
using learn::KeyHint;
using learn::Scroll;
using Kind = Key::Kind;

constexpr size_t kLongestName = 1000;  // bytes of what is typed as an exercise's name

Lines practice_help() {
  constexpr std::pair<const char*, const char*> kKeys[] = {
      {"Enter, i", "write your line; after a right one, Enter goes on"},
      {"Enter", "while you write: run it. After : or in a bracket, a new line"},
      {"Ctrl-N", "while you write: a new line here"},
      {"Esc", "while you write: leave it as it is; while it runs: stop it"},
      {"Tab, Ctrl-U", "while you write: four spaces, or empty the line"},
      {"h", "a hint; there are three, and the third is nearly the line"},
      {"s", "one solution"},
      {"u", "undo: the answer before"},
      {"r", "reset: empty the blank"},
      {"e", "write it in your own editor ($EDITOR)"},
      {"n  b", "next exercise, the one before"},
      {"g", "go to an exercise: its number or name, then Enter"},
      {"Down Up, j k", "scroll by a line"},
      {"PgDn PgUp", "scroll by a screen"},
      {"~", "stands before numbers that differ"},
      {"Ctrl-Z", "pause; fg comes back"},
      {"q, Ctrl-C", "quit; your lines are kept"},
  };
  std::vector<Line> lines;
  for (const auto& [key, what] : kKeys)
    lines.push_back({{"  " + left_aligned(key, 15), Style::Bold}, {what}});
  return lines;
}

class FullScreen {
 public:
  FullScreen(Session& session, Input& input, Output& out)
      : session_(session), input_(input), out_(out), terminal_(out), palette_(palette_of_terminal()) {
    message_ = session.remark();
  }

  void run() {
    while (!done_) {
      if (!input_.more_is_here()) draw();
      Key key{Kind::Unknown};
      switch (input_.wait(key, background_.is_at_work() ? background_.fd() : -1)) {
        case Input::Event::Key:
          press(key);
          break;
        case Input::Event::Redraw:
          terminal_.resume();
          break;
        case Input::Event::Ready:
          finish();
          break;
        case Input::Event::End:
          return;
      }
    }
  }

 private:
  // ---- drawing
  size_t height() const { return learn::body_height(screen_); }

  void draw() {
    screen_ = out_.screen();
    const size_t columns = std::max<size_t>(screen_.columns, 1);
    Place blank;
    body_ = body(columns, blank);
    if (field_) {
      blank.line += field_->row();
      scroll_.show(blank.line, body_, height());
    }
    if (to_end_) scroll_.top = Scroll::last_top(body_, height());
    to_end_ = false;
    scroll_.top = std::min(scroll_.top, Scroll::last_top(body_, height()));

    std::vector<Line> lines{header(columns),
                            {{" " + session_.exercise().title, Style::Bold}},
                            {{std::string(columns, '-'), Style::Faint}}};
    for (size_t i = scroll_.top; i < scroll_.top + height(); ++i)
      lines.push_back(i < body_.size() ? body_[i] : Line{});
    const size_t below = body_.size() - std::min(body_.size(), scroll_.top + height());
    const std::string more = below ? fmt::format(" more: {} below, Space --", below) : "";
    lines.push_back(
        {{std::string(columns - std::min(columns, more.size()), '-'), Style::Faint}, {more, Style::Bold}});
    lines.push_back(
        {{cut(prompt_ ? "Go to exercise (number or name): " + *prompt_ : status(), columns), Style::Bold}});
    lines.push_back(learn::keys_line(keys(), columns));
    const size_t shown = std::min(lines.size(), std::max<size_t>(screen_.lines, 1));
    std::string bytes = "\033[?2026h\033[?25l\033[H";
    for (size_t i = 0; i < shown; ++i)
      bytes += "\033[K" + paint(lines[i], columns, palette_) + (i + 1 < shown ? "\r\n" : "");
    if (field_ && !help_ && blank.line >= scroll_.top && blank.line < scroll_.top + height())
      bytes += fmt::format("\033[{};{}H\033[?25h", blank.line - scroll_.top + 4,
                           std::min(blank.column + field_->column() + 1, columns));
    out_.control(bytes + "\033[?2026l");
    out_.flush();
  }

  Line header(size_t columns) const {
    const size_t all = session_.course().exercises.size(), solved = session_.answers().solved();
    const std::string left = fmt::format(" {}  {}/{}  {}{}", session_.course().id, session_.index() + 1, all,
                                         session_.exercise().id, session_.is_solved() ? "  solved" : "");
    constexpr size_t kBar = 20;
    const std::string bar =
        fmt::format("{} of {} solved [{:.<{}}] ", solved, all, std::string(solved * kBar / all, '='), kBar);
    const bool room = columns_of(left) + 2 + bar.size() <= columns;
    return {{left_aligned(left, columns - (room ? bar.size() : 0)) + (room ? bar : ""), Style::Reverse}};
  }

  Lines body(size_t columns, Place& blank) {
    if (help_) return practice_help();
    if (ending_) return ending_lines(columns);
    ExercisePage page{.course = session_.course(),
                      .exercise = session_.exercise(),
                      .given = session_.given(),
                      .answer = field_ ? field_->lines() : exercise::lines_of(session_.text()),
                      .hints = session_.hints(),
                      .solution = session_.solution(),
                      .verdict = field_ ? nullptr : session_.verdict()};
    return practice::lines_of(page, columns, &blank);
  }
  Lines ending_lines(size_t columns) const {
    std::vector<Line> lines;
    for (std::string& line : filled(session_.course().ending_prose, 2, columns)) lines.push_back({{line}});
    lines.push_back({});
    for (std::string_view rest = *ending_; !rest.empty();) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      lines.push_back({{"    " + std::string(rest.substr(0, end))}});
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return lines;
  }

  std::string status() const {
    if (background_.is_at_work()) return at_work_;
    if (!message_.empty()) return message_;
    if (field_) return "Write the line where the cursor is.";
    if (session_.is_solved() && !ending_) return "Solved. Enter goes on.";
    return "";
  }

  std::vector<KeyHint> keys() const {
    if (prompt_) return {{"Enter", "go"}, {"Esc", "never mind"}};
    if (help_) return {{"any other key", "back to the exercise"}};
    if (background_.is_at_work()) return {{"Esc", "stop"}};
    if (field_)
      return {{"Enter", "run"}, {"Ctrl-N", "new line", 1}, {"Ctrl-U", "empty it", 2}, {"Esc", "leave"}};
    std::vector<KeyHint> keys;
    if (ending_)
      keys.push_back({"b", "back"});
    else if (session_.is_solved())
      keys.insert(keys.end(), {{"Enter", "next"}, {"i", "write", 1}});
    else
      keys.push_back({"Enter", "write"});
    if (!ending_)
      keys.insert(keys.end(), {{"h", "hint", 1},
                               {"s", "solution", 2},
                               {"u", "undo", 4},
                               {"r", "reset", 4},
                               {"e", "editor", 5},
                               {"n b", "next, back", 3},
                               {"g", "go to", 6}});
    keys.insert(keys.end(), {{"?", "help", 1}, {"q", "quit"}});
    return keys;
  }

  // ---- keys
  void press(const Key& key) {
    message_.clear();
    if (background_.is_at_work()) {
      if (key.kind == Kind::Escape) background_.stop();
      return;
    }
    if (help_) {
      if (!scroll_.press(key, body_, height())) help_ = false, scroll_.top = 0;
    } else if (prompt_) {
      type_exercise(key);
    } else if (field_) {
      type(key);
    } else if (key.is(' ') && scroll_.more_below(body_, height())) {
      scroll_.page_down(body_, height());
    } else if (!scroll_.press(key, body_, height()) && !obey(key)) {
      message_ = fmt::format("{} means nothing here; ? shows the keys", name_of(key));
    }
  }

  void type_exercise(const Key& key) {
    if (key.kind == Kind::Enter) {
      const std::string name = *std::exchange(prompt_, std::nullopt);
      if (name.empty()) return;
      if (session_.go_to(name))
        arrive();
      else
        message_ = fmt::format("There is no exercise '{}'; there are 1 to {}.", printable(name),
                               session_.course().exercises.size());
    } else if (key.kind == Kind::Escape) {
      prompt_.reset();
    } else if (key.kind == Kind::Backspace) {
      if (!prompt_->empty()) prompt_->pop_back();
    } else if (key.kind == Kind::Text && key.text.size() == 1 && prompt_->size() < kLongestName) {
      *prompt_ += key.text;
    }
  }

  void type(const Key& key) {
    if (key.kind == Kind::Escape) {
      keep_text();
    } else if (key.is_control('n')) {
      field_->break_line();
    } else if (key.kind == Kind::Enter) {
      field_->trim_line();
      if (goes_on(field_->text()))
        field_->break_line();
      else
        run_answer(field_->text());
    } else if (!field_->press(key)) {
      message_ = fmt::format("{} means nothing here; Esc leaves your line", name_of(key));
    }
  }
  // What was typed stays in the blank, without a verdict.
  void keep_text() {
    const std::string text = exercise::text_of(exercise::lines_of(field_->text()));
    field_.reset();
    if (text == session_.text()) return;
    exercise::Verdict none;
    none.sentence = "Not run yet: Enter, and Enter again.";
    session_.take(text, std::move(none));
  }

  bool obey(const Key& key) {
    if (key.kind == Kind::Enter) {
      if (ending_) return true;
      session_.is_solved() ? next() : write();
    } else if (key.is('i') && !ending_) {
      write();
    } else if (key.is('h') && !ending_) {
      if (!session_.hint()) message_ = "These are all hints. s shows a solution.";
      to_end_ = true;
    } else if (key.is('s') && !ending_) {
      session_.show_solution();
      to_end_ = true;
    } else if (key.is('u') && !ending_) {
      message_ = session_.undo() ? "The answer before is back." : "There is no answer before this one.";
    } else if (key.is('r') && !ending_) {
      session_.reset();
      message_ = "The blank is empty again; u brings your answer back.";
      scroll_.top = 0;
    } else if ((key.is('e') || key.is('E')) && !ending_) {
      edit();
    } else if (key.is('n')) {
      next();
    } else if (key.is('b')) {
      if (ending_ || session_.back())
        arrive();
      else
        message_ = "This is the first exercise.";
    } else if (key.is(' ')) {
      if (session_.is_solved()) next();
    } else if (key.is('g')) {
      prompt_ = "";
    } else if (key.is('?')) {
      help_ = true;
      scroll_.top = 0;
    } else if (key.is('q') || key.is_control('d')) {
      done_ = true;
    } else if (!key.is_control('l')) {
      return false;
    }
    return true;
  }

  void arrive() {
    ending_.reset();
    field_.reset();
    scroll_.top = 0;
  }

  void write() { field_.emplace(session_.text()); }

  void next() {
    if (ending_) return;
    if (session_.next()) return arrive();
    if (session_.answers().first_open())
      message_ = fmt::format("This is the last exercise; {} is not solved yet.",
                             session_.answers().first_open()->id);
    else if (session_.course().ending.empty())
      message_ = "This is the last exercise, and all are solved. q quits.";
    else
      end();
  }

  void edit() {
    std::optional<std::string> text;
    std::string problem;
    restore_terminal();
    try {
      text = edited(session_.exercise(), session_.text());
    } catch (const Error& e) {
      problem = e.what();
    }
    terminal_.resume();
    message_ = problem;
    if (text) run_answer(*text);
  }

  // ---- what takes its time
  void start(const std::string& what, Background::Work work) {
    at_work_ = what + " Esc stops it.";
    // Drawing the page would compute this meanwhile, and all random numbers are of one generator.
    session_.given();
    background_.start(std::move(work));
    constexpr int kShort = 50;  // milliseconds
    if (background_.is_done(kShort)) finish();
  }
  void finish() {
    try {
      if (!background_.finish()) message_ = "Stopped.";
    } catch (const std::exception& e) {
      message_ = told(e);
    }
  }

  void run_answer(const std::string& typed) {
    const std::string text = exercise::text_of(exercise::lines_of(typed));
    start("Running your line ...", [this, text]() -> Background::Rest {
      const auto verdict = std::make_shared<exercise::Verdict>(session_.check(text));
      return [this, text, verdict] {
        session_.take(text, std::move(*verdict));
        session_.save();
        field_.reset();
        to_end_ = true;
      };
    });
  }

  void end() {
    start("Running your program ...", [this]() -> Background::Rest {
      const auto printed = std::make_shared<std::string>();
      session_.run_ending([&](std::string_view text) { printed->append(text); });
      return [this, printed] {
        ending_ = *printed;
        scroll_.top = 0;
      };
    });
  }

  Session& session_;
  Input& input_;
  Output& out_;
  Background background_;  // the terminal is given back before anybody waits for it
  std::string at_work_;
  Terminal terminal_;
  const Palette palette_;
  Output::Screen screen_;
  Lines body_;
  Scroll scroll_;
  bool help_ = false, done_ = false, to_end_ = false;
  std::optional<TextField> field_;     // while the learner writes
  std::optional<std::string> prompt_;  // while an exercise's name is typed
  std::optional<std::string> ending_;  // what the program has printed
  std::string message_;
};

}  // namespace

void on_screen(Session& session, Input& input, Output& out) { FullScreen(session, input, out).run(); }

}  // namespace glassgrad::practice
