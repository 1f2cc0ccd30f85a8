#include "apps/stepper/full_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "apps/ask/backward.h"
#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/markdown.h"
#include "apps/show/masked.h"
#include "apps/show/render.h"
#include "apps/show/whole_code.h"
#include "apps/stepper/changing.h"
#include "apps/stepper/words.h"

namespace glassgrad::learn {
namespace {

// A line for each turn of the program's line that the present step is, > before the step itself; none if it
// is no line of a program.
Lines turns_page(const Navigator& navigator) {
  const std::vector<const Step*> turns = navigator.turns();
  if (turns.empty()) return {};
  const Step& here = navigator.step();
  std::vector<Line> lines{
      {{fmt::format("Turns of line {} of {}. ] and [ go to the next and the one before, g and a number or an",
                    here.line, here.file)}},
      {{"id to any."}},
      {}};
  for (const Step* s : turns)
    lines.push_back({{s == &here ? "> " : "  ", Style::Bold},
                     {fmt::format("{:>6}  {:<20}  {}", s->number, s->id,
                                  fmt::join(plain_words(s->said_before()), " "))}});
  return lines;
}

class LessonScreen : public Changing {
 public:
  LessonScreen(Navigator& navigator, StepQuestion& question, Input& input, Output& out, std::string message,
               const std::function<void()>& arrived, const std::function<void()>& resume)
      : Changing(navigator, question, input, out, std::move(message), arrived), resume_(resume) {
    arrive();
  }

  static KeyTable step_keys();

 private:
  // ---- drawing
  Head head() const override {
    const Recording& recording = navigator_.recording();
    const Step& step = navigator_.step();
    const size_t steps = recording.steps.size();
    return {.place = fmt::format("{}  {}/{}  {}{}", recording.lesson->id, step.number, steps,
                                 section_text(step, "  "), step.id),
            .title = step.title,
            .filled = (size_t(step.number) * kBar + steps - 1) / steps};
  }

  const Lines& body(size_t columns, size_t height) override {
    view_.fit(columns, height);
    return view_.page().lines;
  }
  std::string searched() const override { return searching_ ? navigator_.searched() : ""; }

  // What is chosen, or where the chapter has the step and what the marks mean.
  Line foot(size_t columns) const override {
    if (code_.is_on() || cells_.is_on()) {
      const std::string chosen =
          code_.is_on() ? fmt::format("line {} of the lesson's program", code_.line().at()) : cells_.status();
      return {{cut(chosen, columns), Style::Bold}};
    }
    const StepPage& page = view_.page();
    const std::string place = anchor(navigator_.recording(), navigator_.step());
    if (is_over()) return {{place, Style::Faint}};
    if (!page.marked) return {{place + (page.changed ? "  ~ changed" : ""), Style::Faint}};
    const std::string before = fmt::format("{}{}", page.changed ? "~ changed  " : "",
                                           page.masked ? fmt::format("{} masked  ", kMaskedBlock) : "");
    const bool colours = has_colours(palette());
    const char* const longer = colours ? "teal above 0, orange below, stronger: larger"
                                       : "marks . - + * @: fifths of the largest |value|";
    for (const char* marks : {longer, colours ? "teal > 0, orange < 0" : ". - + * @: |value| / largest"})
      if (const size_t both = columns_of(place) + columns_of(before) + columns_of(marks); both + 2 <= columns)
        return {{place + std::string(columns - both, ' ') + before + marks, Style::Faint}};
    return {{place, Style::Faint}};
  }

  // ---- keys
  std::vector<KeyTable> tables() const override { return lesson_keys(); }
  void add_keys(std::vector<KeySet>& sets) override {
    if (code_.is_on()) sets.push_back({this, code_keys(), Below::Hidden});
    cells_.add_keys(sets);
    sets.push_back({this, step_keys()});
  }

  // ---- the cells
  KeyOwner* press(const Key& key) override {
    const size_t depth = cells_.depth();
    KeyOwner* const by = Screen::press(key);
    if (by == &cells_) see_cells(depth);
    return by;
  }
  // After a key among them: how many pages were open in one another before it.
  void see_cells(size_t depth) {
    if (std::string note = cells_.take_note(); !note.empty()) say(std::move(note));
    if (cells_.depth() == 0 || depth == 0) view_.set_exact(false);
    if (cells_.depth() > depth) view_.to_top();
    view_.renew_and_follow_cursor();
  }
  void enter_cells() {
    cells_.enter();
    if (!cells_.is_on()) say("No tensor of this step has a cell.");
    see_cells(0);
  }
  bool show_bars() {
    if (!cells_.is_on()) cells_.open_bars();
    if (cells_.depth() == 0) return false;
    see_cells(0);
    return true;
  }

  // ---- what the step shows
  bool is_searching() const { return searching_; }
  bool can_shift() const { return view_.can_shift(); }
  void shift(const Key& key) { view_.shift(key.kind == Key::Kind::Right || key.is('l')); }
  KeyHint fold_hint() const {
    if (!view_.page().long_one || view_.is_exact()) return {};
    return {"f", view_.is_folded() ? "unfold" : "fold", 2};
  }
  void fold() {
    view_.fold_or_unfold();
    if (!view_.page().long_one) say("No tensor of this step is long enough to fold.");
  }
  KeyHint exact_hint() const { return {"t", view_.is_exact() ? "grids" : "as PyTorch", 5}; }
  void exact_or_grids() {
    view_.set_exact(!view_.is_exact());
    view_.to_top();
  }

  void show_whole_code() {
    const Lines lines = whole_code_lines(navigator_.recording(), navigator_.step());
    if (lines.empty()) return say("The lines of this step are a part of no class: they ran by themselves.");
    const auto marked = lines.find([](const Line& l) { return !l.empty() && l[0].text == "> "; });
    show_over({.lines = [lines](size_t) { return lines; }, .line = is_program() ? marked : std::nullopt});
  }
  void show_words() {
    const auto spot = cells_.spot();
    if (!words_.open(navigator_.recording(), navigator_.step(), spot ? spot->tensor : ""))
      return say("This step uses no word of the glossary.");
    show_over({.lines = [this](size_t columns) { return words_.lines(columns); },
               .keys = {&words_, StepWords::keys()}});
  }

  // ---- moving
  void arrive() {
    searching_ = false;
    show_step();
  }
  void show_step() {
    view_.renew_from_top();
    code_.leave();
    cells_.arrive(navigator_.recording(), navigator_.step());
    if (cells_.is_on()) view_.renew_and_follow_cursor();
    arrived_();
    question_.arrive(navigator_.recording(), navigator_.step());
    if (question_.asks_on_arrival()) predict();
  }

  KeyHint go_on_hint() const { return {"Enter", more_below() ? "more" : navigator_.is_last() ? "" : "next"}; }
  void go_on() { more_below() ? page_down() : next(); }
  void next() {
    if (navigator_.next()) return arrive();
    const Lesson* after = navigator_.neighbour(true);
    say(is_program() ? "This is the last step. q quits."
        : after      ? fmt::format("This is the last step. ] goes on with the lesson {}, q quits.", after->id)
                     : "This is the last step of the last lesson. q quits.");
  }
  bool is_first() const { return navigator_.is_first(); }
  void back() {
    if (navigator_.back())
      arrive();
    else
      say("This is the first step.");
  }
  void to_last() {
    navigator_.go_to_last();
    arrive();
  }
  void ask_for_step() {
    ask({.words = "Go to step (number, id or section): ", .enter = [this](const std::string& step) {
           finish_if_done();
           if (!step.empty()) go_to(step);
         }});
  }
  void go_to(const std::string& step) {
    try {
      navigator_.go_to(step);
      arrive();
    } catch (const UsageError& e) {
      say(e.what());
    }
  }

  void ask_for_words() {
    ask({.words = "/", .enter = [this](const std::string& text) {
           finish_if_done();
           search(text, true);
         }});
  }
  void next_or_match() { searching_ ? search("", true) : next(); }
  void match_before() { search("", false); }
  void end_search() { searching_ = false; }
  void search(const std::string& text, bool forward) {
    if (text.empty() && navigator_.searched().empty()) {
      say("Nothing has been searched for yet: / and a text.");
    } else if (const int before = navigator_.step().number; navigator_.search(text, forward)) {
      searching_ = true;
      show_step();
      view_.to_words(navigator_.searched());
      const int here = navigator_.step().number;
      if (here == before)
        say("No other step has it.");
      else if ((here < before) == forward)
        say(forward ? "Past the last step: on from the first." : "Past the first step: on from the last.");
    } else {
      searching_ = false;
      say(fmt::format("No step has '{}'.", navigator_.searched()));
    }
  }

  KeyHint over_hint() const { return {"B", navigator_.is_backward() ? "forward" : "backward", 6}; }
  void turn_over() {
    if (navigator_.has_backward()) return turn_over_now();
    compute("Going backward ...", [this, &navigator = navigator_]() -> Background::Rest {
      const auto backward = std::make_shared<Recording>(navigator.backward());
      return [this, backward] {
        navigator_.have_backward(std::move(*backward));
        turn_over_now();
      };
    });
  }
  void turn_over_now() {
    const bool was_backward = navigator_.is_backward();
    const auto spot = cells_.spot();
    if (!navigator_.turn_over(spot ? spot->tensor : ""))
      return say(was_backward
                     ? "The lesson does not show this tensor."
                     : "No gradient passes here: no loss depends on these tensors through the graph.");
    arrive();
    if (const Entry* other = spot ? counterpart(spot->tensor, navigator_.step()) : nullptr)
      cells_.replace(navigator_.recording(), navigator_.step(), CellFocus::Spot{other->name, spot->cell});
  }

  // ---- a program's run, or other lessons
  bool is_program() const { return navigator_.recording().lesson->run_by != nullptr; }
  KeyHint beside_hint() const {
    return is_program() ? KeyHint{"] [", "turn", 4} : KeyHint{"] [", "lesson", 6};
  }
  void go_beside(const Key& key) { is_program() ? turn(key.is(']')) : change_lesson(key.is(']')); }
  void turn(bool after) {
    if (navigator_.turn(after)) return arrive();
    say(after ? "This is the last turn of this line." : "This is the first turn of this line.");
  }
  void list_turns() {
    const Lines lines = turns_page(navigator_);
    if (lines.empty()) return say("This step is no line of a program.");
    show_over({.lines = [lines](size_t) { return lines; }});
  }
  void change_lesson(bool after) {
    const Lesson* lesson = navigator_.neighbour(after);
    if (!lesson) return say(after ? "This is the last lesson." : "This is the first lesson.");
    const auto work = [this, &navigator = navigator_, lesson]() -> Background::Rest {
      const auto opened = std::make_shared<WhatIf>(navigator.open(*lesson));
      return [this, opened] {
        navigator_.change_to(std::move(*opened));
        view_.forget_recording();
        resume_();
        if (!navigator_.is_first()) say("Going on where you stopped; g 1 goes to the first step.");
        arrive();
      };
    };
    compute(fmt::format("Computing the lesson {} ...", lesson->id), work);
  }

  // ---- a question, whose answer is hidden meanwhile
  void ask_for_prediction() {
    if (!predict()) say("This step has nothing to predict.");
  }
  bool predict() {  // false: there is none to ask for
    if (cells_.is_open() || !question_.ask()) return false;
    ask_question();
    see_question();
    return true;
  }
  void ask_question() {
    const auto enter = [this](const std::string& typed) {
      reply(typed);
      if (question_.is_open()) ask_question();
    };
    const auto escape = [this] {
      question_.put_off();
      view_.renew();
    };
    ask({.words = question_.prompt(),
         .enter = enter,
         .hints = {{"Enter", "answer; with nothing, give up"},
                   {"?", "hint"},
                   {"Esc", "not now"},
                   {"PgDn PgUp", "scroll"}},
         .escape = escape,
         .first = [this](const Key& key, const std::string& typed) {
           return press_in_question(key, typed);
         }});
  }
  bool press_in_question(const Key& key, const std::string& typed) {
    const bool was_hinted = std::exchange(hinted_, key.is(kHintKey[0]));
    if (hinted_) return reply(std::string(kHintKey)), true;
    if (was_hinted && key.kind == Key::Kind::Enter && typed.empty())
      return true;  // "?" and Enter give up nothing
    if (key.kind == Key::Kind::Text) return false;
    if (key.kind == Key::Kind::Left || key.kind == Key::Kind::Right) return shift(key), true;
    return scroll_by(key);
  }
  void reply(const std::string& line) {
    question_.reply(line);
    see_question();
  }
  void see_question() {
    view_.to_top();
    view_.renew();
  }

  bool hinted_ = false;  // by the key before
  bool searching_ = false;
  StepWords words_;
  const std::function<void()>& resume_;
};

using L = LessonScreen;

KeyTable L::step_keys() {
  static constexpr KeyRow kRows[] = {
      {"Enter, Space", "the rest of a long step, then the next step", does<&L::go_on>, now<&L::go_on_hint>},
      {"n", "next step; after a search, the next match", does<&L::next_or_match>,
       Hint("next match", 0, when<&L::is_searching>)},
      {"N", "after a search, the match before; Esc ends the search", does<&L::match_before>,
       Hint("match before", 0, when<&L::is_searching>)},
      {"Esc", {}, does<&L::end_search>, Hint("end search", 0, when<&L::is_searching>)},
      {"b", "back one step", does<&L::back>, Hint("back", 1, unless<&L::is_first>)},
      {"g", "go to a step: its number, id or section, then Enter", does<&L::ask_for_step>, Hint("go to", 3)},
      {"G", "last step", does<&L::to_last>},
      {"/", "search titles, sentences, code, names, or a number: 0.3293", does<&L::ask_for_words>,
       Hint("search", 3)},
      {"]  [", "next lesson, lesson before; of a script, turns; L lists them", does<&L::go_beside>,
       now<&L::beside_hint>},
      {"L", {}, does<&L::list_turns>, Hint("turns", 4, when<&L::is_program>)},
      {"Right Left, l h", "scroll wide tensors by a column", does<&L::shift>,
       Hint("columns", 2, when<&L::can_shift>, "<- ->")},
      {"f", "unfold or fold batches and tensors of 12 rows and more", does<&L::fold>, now<&L::fold_hint>},
      {"B", "to the gradient of what the step shows, and back again", does<&L::turn_over>,
       now<&L::over_hint>},
      {"Tab", "to the cells and back: arrows or hjkl move [the cell]", does<&L::enter_cells>,
       Hint("cells", 1)},
      {"a", {}, does<&L::show_bars>},
      {"p", "a question about the step, to answer first; ? gives a hint", does<&L::ask_for_prediction>,
       Hint("predict", 6)},
      {"e", "set the cell, or TENSOR[i,j]=V; ~ stands before what changes", does<&L::edit>},
      {"E", "edit a line of the code: arrows choose it, Enter runs it", does<&L::choose_line>,
       Hint("edit", 6, when<&L::has_lines>)},
      {"r", "take the last change back, of a number or of a line", does<&L::take_back>},
      {"c", "the class whose lines the step shows, whole", does<&L::show_whole_code>},
      {"w", "what the words of this step mean, from the glossary", does<&L::show_words>, Hint("words", 6)},
      {"t", "tensors as PyTorch prints them, or as grids", does<&L::exact_or_grids>, now<&L::exact_hint>},
      {". - + * @", "without colours: size of the number, in fifths of the largest"},
      {kMaskedBlock, "masked: a score of -inf, or the weight 0 that comes of it"},
  };
  return kRows;
}

}  // namespace

std::vector<KeyTable> lesson_keys() {
  std::vector<KeyTable> tables = CellFocus::tables();
  tables.insert(tables.begin(), L::step_keys());
  tables.push_back(Screen::keys());
  return tables;
}

void step_on_screen(Navigator& navigator, StepQuestion& question, Input& input, Output& out,
                    std::string message, const std::function<void()>& arrived,
                    const std::function<void()>& resume) {
  L(navigator, question, input, out, std::move(message), arrived, resume).run();
}

}  // namespace glassgrad::learn
