#include "apps/practice/full_screen.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "apps/cli/text_width.h"
#include "apps/practice/editor.h"
#include "apps/practice/exercise_page.h"
#include "apps/practice/line_mode.h"
#include "apps/stepper/path_screen.h"
#include "apps/terminal/text_field.h"

namespace glassgrad::practice {
namespace {

class ExerciseScreen : public learn::PathScreen {
 public:
  ExerciseScreen(Session& session, NavigationHistory& history, Input& input, Output& out)
      : PathScreen(history, session.progress(), input, out, session.remark(), "back to the exercise"),
        session_(session) {}

  static KeyTable blank_keys();
  static KeyTable writing_keys();
  static KeyTable exercise_keys();
  static KeyTable ending_keys();  // after the last exercise

 private:
  std::string stop() const override { return session_.stop(); }
  std::string place() const override { return session_.exercise().id; }
  // Saves the answers before the learner goes elsewhere.
  void open(Visit to, std::vector<Visit> behind) override {
    session_.save();
    PathScreen::open(std::move(to), std::move(behind));
  }

  // ---- drawing
  Head head() const override {
    const size_t all = session_.course().exercises.size(), solved = session_.answers().solved();
    return {.place = fmt::format("build {}  {}/{}  {}{}", session_.course().id, session_.index() + 1, all,
                                 session_.exercise().id, session_.is_solved() ? "  solved" : ""),
            .title = session_.exercise().title,
            .counted = fmt::format("{} of {} solved ", solved, all),
            .filled = solved * kBar / all};
  }

  const Lines& body(size_t columns, size_t) override {
    if (ending_) return page_ = ending_lines(columns);
    page_ = practice::lines_of(
        {.course = session_.course(),
         .exercise = session_.exercise(),
         .given = session_.given(),
         .answer = field_ ? field_->lines() : exercise::lines_of(session_.text()),
         .hints = session_.hints(),
         .solution = session_.solution(),
         .verdict = field_ ? nullptr : session_.verdict(),
         .typing = field_ ? std::optional(Place{field_->row(), field_->column()}) : std::nullopt},
        columns, &cursor_);
    if (is_end() && !field_) page_.append(ending(columns));
    return page_;
  }
  Lines ending_lines(size_t columns) const {
    std::vector<Line> lines;
    for (const std::string& paragraph : session_.course().ending_prose)
      for (std::string& line : filled(paragraph, 2, columns)) lines.push_back({{line}});
    lines.push_back({});
    constexpr size_t kIndent = 4;
    for (std::string_view rest = *ending_; !rest.empty();) {
      const size_t end = std::min(rest.find('\n'), rest.size());
      for (const std::string& part : broken(rest.substr(0, end), std::max(columns, kIndent + 1) - kIndent))
        lines.push_back({{std::string(kIndent, ' ') + part}});
      rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    Lines page(std::move(lines));
    page.append(ending(columns));
    return page;
  }

  std::optional<Place> cursor() const override { return field_ ? std::optional(cursor_) : std::nullopt; }

  Line foot(size_t) const override {
    if (field_ && (field_->lines().size() > 1 || asks_for_lines()))
      return {
          {"Write where the cursor is; Ctrl-R, or an empty line at the end, runs your lines.", Style::Bold}};
    if (field_) return {{"Write the line where the cursor is.", Style::Bold}};
    if (session_.is_solved() && !ending_) return {{"Solved. Enter goes on.", Style::Bold}};
    return {};
  }

  // ---- keys
  std::vector<KeyTable> tables() const override { return practice::exercise_keys(); }
  void add_keys(std::vector<KeyLayer>& layers) override {
    if (is_at_work())
      layers.push_back({this, {}, KeysBelow::Dead});
    else if (field_)
      layers.push_back({this, writing_keys(), KeysBelow::Dead});
    else if (ending_)
      layers.insert(layers.end(), {{this, ending_keys()}, {this, PathScreen::keys()}});
    else
      layers.insert(layers.end(),
                    {{this, blank_keys()}, {this, exercise_keys()}, {this, PathScreen::keys()}});
  }

  bool is_solved() const { return session_.is_solved(); }
  // Returns whether this is the last exercise of a course that has no ending and is all solved.
  bool is_end() const {
    return session_.is_last() && session_.course().ending.empty() && !session_.answers().first_open();
  }
  KeyHint enter_hint() const { return {"Enter", is_end() ? "on" : is_solved() ? "next" : "write"}; }
  void enter(const Key& key) {
    if (key.is('i') || !is_solved())
      write();
    else
      is_end() ? go_on() : next();
  }
  void read_or_go_on() { more_below() ? page_down() : go_on(); }
  void read_ending() { more_below() ? page_down() : say("This is the end. " + on_text()); }
  KeyHint ending_hint() const { return {"Enter", more_below() ? "down" : "on"}; }
  void read_on() {
    if (more_below())
      page_down();
    else if (is_solved())
      next();
  }

  void write() { field_.emplace(session_.text()); }
  void type(const Key& key) {
    // Backspace in the indentation removes four spaces at once.
    if (const size_t column = key.kind == Key::Kind::Backspace ? field_->column() : 0;
        column > 0 && field_->lines()[field_->row()].find_first_not_of(' ') >= column)
      for (size_t k = (column - 1) % 4; k > 0; --k) field_->press(key);
    if (!field_->press(key)) say(fmt::format("{} means nothing here; Esc leaves your line", name_of(key)));
  }
  void break_line() { field_->break_line(); }
  void run_line() {
    field_->trim_line();
    goes_on_now() ? field_->break_line() : run_answer(field_->text());
  }
  KeyHint run_hint() const { return {"Enter", goes_on_now() ? "new line" : "run"}; }
  // If the exercise asks for several lines, an empty line ends the answer.
  bool goes_on_now() const {
    return goes_on(field_->text()) || (asks_for_lines() && field_->lines().back() != "");
  }
  bool asks_for_lines() const { return session_.exercise().solution.size() > 1; }
  void run_now() { run_answer(field_->text()); }
  // Leaves the typed text in the blank, without a verdict.
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
      say("This is the last exercise, and all are solved. " + on_text());
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

  // ---- work in the background
  void run_answer(const std::string& typed) {
    const std::string text = exercise::text_of(exercise::lines_of(typed));
    begin("Running your line ...", [this, &session = session_, text]() -> BackgroundWork::Continuation {
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
    begin("Running your program ...", [this, &session = session_]() -> BackgroundWork::Continuation {
      const auto printed = std::make_shared<std::string>();
      session.run_ending([&](std::string_view text) { printed->append(text); });
      return [this, printed] {
        ending_ = *printed;
        scroll().top = 0;
      };
    });
  }
  void begin(const std::string& what, const BackgroundWork::Work& work) {
    // Compute it now: drawing would compute it during the work, which uses the same random generator.
    session_.given();
    compute(what, work);
  }

  Session& session_;
  Lines page_;
  Place cursor_;                       // while the learner writes
  std::optional<TextField> field_;     // while the learner writes
  std::optional<std::string> ending_;  // the output of the whole program
};

using E = ExerciseScreen;

KeyTable E::blank_keys() {
  static constexpr KeyRow kRows[] = {
      {"Enter, i", "write your line; after a right one, Enter goes on", does<&E::enter>, now<&E::enter_hint>},
      {"i", {}, nullptr, Hint("write", 1, when<&E::is_solved>)},
      {"Space", {}, does<&E::read_on>},
  };
  return kRows;
}

KeyTable E::writing_keys() {
  static constexpr KeyRow kRows[] = {
      {"Enter", "while you write: a new line where more belongs, else run it", does<&E::run_line>,
       now<&E::run_hint>},
      {"Ctrl-R", "while you write: run it as it stands", does<&E::run_now>,
       Hint("run", 0, when<&E::goes_on_now>)},
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
      {"s", "one solution", does<&E::solution>, Hint("solution", 1)},
      {"u", "undo: the answer before", does<&E::undo>, Hint("undo", 4)},
      {"r", "reset: empty the blank", does<&E::reset>, Hint("reset", 5)},
      {"e | E", "write it in your own editor ($EDITOR)", does<&E::edit>, Hint("editor", 5)},
      {"n  b", "next exercise, the one before", does<&E::next_or_back>,
       Hint("next, back", 3, nullptr, "n b")},
      {"g", "go to an exercise: its number or name, then Enter", does<&E::ask_for_exercise>, Hint("go", 3)},
      {"~", "stands before numbers that differ"},
  };
  return kRows;
}

KeyTable E::ending_keys() {
  static constexpr KeyRow kRows[] = {
      {"Enter", {}, does<&E::read_or_go_on>, now<&E::ending_hint>},
      {"Space", {}, does<&E::read_ending>},
      {"b", {}, does<&E::back>, "back"},
      {"g", {}, does<&E::ask_for_exercise>},
  };
  return kRows;
}

}  // namespace

std::vector<KeyTable> exercise_keys() {
  return {E::blank_keys(), E::writing_keys(), E::exercise_keys(), E::PathScreen::keys(), Screen::keys()};
}

void on_screen(Session& session, NavigationHistory& history, Input& input, Output& out) {
  E(session, history, input, out).run();
}

}  // namespace glassgrad::practice
