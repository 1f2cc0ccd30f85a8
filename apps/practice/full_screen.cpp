#include "apps/practice/full_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/cli/text_width.h"
#include "apps/practice/editor.h"
#include "apps/practice/exercise_page.h"
#include "apps/practice/line_mode.h"
#include "apps/terminal/text_field.h"

namespace glassgrad::practice {
namespace {

class ExerciseScreen : public Screen {
 public:
  ExerciseScreen(Session& session, Input& input, Output& out)
      : Screen(input, out, session.remark(), "back to the exercise"), session_(session) {}

  static KeyTable blank_keys();
  static KeyTable writing_keys();
  static KeyTable exercise_keys();
  static KeyTable ending_keys();  // behind the last exercise

 private:
  // ---- drawing
  Head head() const override {
    const size_t all = session_.course().exercises.size(), solved = session_.answers().solved();
    return {.place = fmt::format("{}  {}/{}  {}{}", session_.course().id, session_.index() + 1, all,
                                 session_.exercise().id, session_.is_solved() ? "  solved" : ""),
            .title = session_.exercise().title,
            .counted = fmt::format("{} of {} solved ", solved, all),
            .filled = solved * kBar / all};
  }

  const Lines& body(size_t columns, size_t) override {
    if (ending_) return page_ = ending_lines(columns);
    return page_ =
               practice::lines_of({.course = session_.course(),
                                   .exercise = session_.exercise(),
                                   .given = session_.given(),
                                   .answer = field_ ? field_->lines() : exercise::lines_of(session_.text()),
                                   .hints = session_.hints(),
                                   .solution = session_.solution(),
                                   .verdict = field_ ? nullptr : session_.verdict()},
                                  columns, &blank_);
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

  std::optional<Place> cursor() const override {
    if (!field_) return {};
    return Place{blank_.line + field_->row(), blank_.column + field_->column()};
  }

  Line foot(size_t) const override {
    if (field_) return {{"Write the line where the cursor is.", Style::Bold}};
    if (session_.is_solved() && !ending_) return {{"Solved. Enter goes on.", Style::Bold}};
    return {};
  }

  // ---- keys
  std::vector<KeyTable> tables() const override { return practice::exercise_keys(); }
  void add_keys(std::vector<KeySet>& sets) override {
    if (is_at_work())
      sets.push_back({this, {}, Below::Dead});
    else if (field_)
      sets.push_back({this, writing_keys(), Below::Dead});
    else if (ending_)
      sets.push_back({this, ending_keys()});
    else
      sets.insert(sets.end(), {{this, blank_keys()}, {this, exercise_keys()}});
  }

  bool is_solved() const { return session_.is_solved(); }
  KeyHint enter_hint() const { return {"Enter", is_solved() ? "next" : "write"}; }
  void enter(const Key& key) { is_solved() && !key.is('i') ? next() : write(); }
  void go_on() {
    if (more_below())
      page_down();
    else if (is_solved())
      next();
  }

  void write() { field_.emplace(session_.text()); }
  void type(const Key& key) {
    if (!field_->press(key)) say(fmt::format("{} means nothing here; Esc leaves your line", name_of(key)));
  }
  void break_line() { field_->break_line(); }
  void run_line() {
    field_->trim_line();
    goes_on(field_->text()) ? field_->break_line() : run_answer(field_->text());
  }
  // What was typed stays in the blank, without a verdict.
  void leave_line() {
    const std::string text = exercise::text_of(exercise::lines_of(field_->text()));
    field_.reset();
    if (text == session_.text()) return;
    exercise::Verdict none;
    none.sentence = "Not run yet: Enter, and Enter again.";
    session_.take(text, std::move(none));
  }

  void hint() {
    if (!session_.hint()) say("These are all hints. s shows a solution.");
    scroll_to_end();
  }
  void solution() {
    session_.show_solution();
    scroll_to_end();
  }
  void undo() { say(session_.undo() ? "The answer before is back." : "There is no answer before this one."); }
  void reset() {
    session_.reset();
    say("The blank is empty again; u brings your answer back.");
    scroll().top = 0;
  }
  void edit() {
    std::optional<std::string> text;
    lend_terminal([&] { text = edited(session_.exercise(), session_.text()); });
    if (text) run_answer(*text);
  }

  // ---- moving
  void arrive() {
    ending_.reset();
    scroll().top = 0;
  }
  void next_or_back(const Key& key) { key.is('n') ? next() : back(); }
  void next() {
    if (session_.next()) return arrive();
    if (session_.answers().first_open())
      say(fmt::format("This is the last exercise; {} is not solved yet.",
                      session_.answers().first_open()->id));
    else if (session_.course().ending.empty())
      say("This is the last exercise, and all are solved. q quits.");
    else
      end();
  }
  void back() {
    if (ending_ || session_.back())
      arrive();
    else
      say("This is the first exercise.");
  }
  void ask_for_exercise() {
    ask({.words = "Go to exercise (number or name): ", .enter = [this](const std::string& name) {
           if (name.empty()) return;
           if (session_.go_to(name)) return arrive();
           say(fmt::format("There is no exercise '{}'; there are 1 to {}.", printable(name),
                           session_.course().exercises.size()));
         }});
  }

  // ---- what takes its time
  void run_answer(const std::string& typed) {
    const std::string text = exercise::text_of(exercise::lines_of(typed));
    begin("Running your line ...", [this, &session = session_, text]() -> Background::Rest {
      const auto verdict = std::make_shared<exercise::Verdict>(session.check(text));
      return [this, text, verdict] {
        session_.take(text, std::move(*verdict));
        session_.save();
        field_.reset();
        scroll_to_end();
      };
    });
  }
  void end() {
    begin("Running your program ...", [this, &session = session_]() -> Background::Rest {
      const auto printed = std::make_shared<std::string>();
      session.run_ending([&](std::string_view text) { printed->append(text); });
      return [this, printed] {
        ending_ = *printed;
        scroll().top = 0;
      };
    });
  }
  void begin(const std::string& what, Background::Work work) {
    // Drawing the page would compute this meanwhile, and all random numbers are of one generator.
    session_.given();
    compute(what, std::move(work));
  }

  Session& session_;
  Lines page_;
  Place blank_;
  std::optional<TextField> field_;     // while the learner writes
  std::optional<std::string> ending_;  // what the program has printed
};

using E = ExerciseScreen;

KeyTable E::blank_keys() {
  static constexpr KeyRow kRows[] = {
      {"Enter, i", "write your line; after a right one, Enter goes on", does<&E::enter>, now<&E::enter_hint>},
      {"i", {}, nullptr, Hint("write", 1, when<&E::is_solved>)},
      {"Space", {}, does<&E::go_on>},
  };
  return kRows;
}

KeyTable E::writing_keys() {
  static constexpr KeyRow kRows[] = {
      {"Enter", "while you write: run it. After : or in a bracket, a new line", does<&E::run_line>, "run"},
      {"Ctrl-N", "while you write: a new line here", does<&E::break_line>, Hint("new line", 1)},
      {"Tab, Ctrl-U", "while you write: four spaces, or empty the line", nullptr,
       Hint("empty it", 2, nullptr, "Ctrl-U")},
      {"Esc", "while you write: leave it as it is; while it runs: stop it", does<&E::leave_line>, "leave"},
      {"any", {}, does<&E::type>},
  };
  return kRows;
}

KeyTable E::exercise_keys() {
  static constexpr KeyRow kRows[] = {
      {"h", "a hint; there are three, and the third is nearly the line", does<&E::hint>, Hint("hint", 1)},
      {"s", "one solution", does<&E::solution>, Hint("solution", 2)},
      {"u", "undo: the answer before", does<&E::undo>, Hint("undo", 4)},
      {"r", "reset: empty the blank", does<&E::reset>, Hint("reset", 4)},
      {"e | E", "write it in your own editor ($EDITOR)", does<&E::edit>, Hint("editor", 5)},
      {"n  b", "next exercise, the one before", does<&E::next_or_back>,
       Hint("next, back", 3, nullptr, "n b")},
      {"g", "go to an exercise: its number or name, then Enter", does<&E::ask_for_exercise>,
       Hint("go to", 6)},
      {"~", "stands before numbers that differ"},
  };
  return kRows;
}

KeyTable E::ending_keys() {
  static constexpr KeyRow kRows[] = {
      {"b", {}, does<&E::back>, "back"},
      {"g", {}, does<&E::ask_for_exercise>},
  };
  return kRows;
}

}  // namespace

std::vector<KeyTable> exercise_keys() {
  return {E::blank_keys(), E::writing_keys(), E::exercise_keys(), Screen::keys()};
}

void on_screen(Session& session, Input& input, Output& out) { E(session, input, out).run(); }

}  // namespace glassgrad::practice
