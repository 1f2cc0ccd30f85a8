#include "apps/stepper/full_screen.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

#include "apps/ask/backward.h"
#include "apps/ask/run_map.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/markdown.h"
#include "apps/show/enclosing_definition.h"
#include "apps/show/masked.h"
#include "apps/show/render.h"
#include "apps/stepper/navigable_screen.h"
#include "apps/stepper/step_glossary.h"

namespace glassgrad::learn {
namespace {

// Returns a line for each turn of the program's line at the present step, with > before the step itself;
// nothing if the step is no line of a program.
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
    lines.push_back(
        {{s == &here ? "> " : "  ", Style::Bold},
         {fmt::format("{:>6}  {:<20}  {}", s->number, s->id, joined(plain_words(s->said_before()), " "))}});
  return lines;
}

class LessonScreen : public NavigableScreen {
 public:
  LessonScreen(Navigator& navigator, StepQuiz& quiz, const LessonContext& context, Input& input, Output& out,
               std::string message)
      : NavigableScreen(navigator, quiz, context, input, out, std::move(message)) {
    arrive();
  }

  static KeyTable step_keys();
  static KeyTable program_keys();

 private:
  // ---- drawing
  Head head() const override {
    const Recording& recording = navigator_.recording();
    const Step& step = navigator_.step();
    const int steps = recording.main_step_count();
    return {.place = fmt::format("{}  {}/{}  {}{}", recording.lesson->id, step.place(), steps,
                                 section_text(step, "  "), step.id),
            .title = step.title,
            .filled = (size_t(step.main_number) * kBar + size_t(steps) - 1) / size_t(steps)};
  }

  std::string map(size_t columns) const override {
    const Recording& forward = navigator_.forward();
    if (mapped_ != forward.trace) {
      map_ = RunMap(forward);
      mapped_ = forward.trace;
    }
    return map_.line(navigator_.step(), columns);
  }

  const Lines& body(size_t columns, size_t height) override {
    view_.fit(columns, height);
    return view_.page().lines;
  }
  std::string searched() const override { return is_searching() ? navigator_.searched() : ""; }

  // Shows what is chosen, or else the step's place in the chapter and the meaning of the marks.
  Line foot(size_t columns) const override {
    if (code_.is_on() || link_ || cells_.is_on()) {
      const std::string chosen = code_.is_on()
                                     ? fmt::format("line {} of the lesson's program", code_.line().at())
                                 : link_ ? link_text()
                                         : cells_.status();
      return {{cut(chosen, columns), Style::Bold}};
    }
    const StepPage& page = view_.page();
    const std::string place = cut(anchor(navigator_.recording(), navigator_.step()), columns);
    if (has_overlay()) return {{place, Style::Faint}};
    if (!page.marked) return {{place + (page.changed ? "  ~ changed" : ""), Style::Faint}};
    const std::string before = fmt::format("{}{}", page.changed ? "~ changed  " : "",
                                           page.masked ? fmt::format("{} masked  ", kMaskedBlock) : "");
    const bool colours = has_colours(palette());
    const char* const longer = colours ? "teal above 0, orange below, stronger: larger"
                                       : "marks . - + * @: fifths of the largest |value|";
    for (const char* marks : {longer, colours ? "teal > 0, orange < 0" : ". - + * @: |value| / largest"})
      if (const size_t both = columns_of(place) + columns_of(before) + columns_of(marks); both + 2 <= columns)
        return {{fmt::format("{}{:{}}{}{}", place, "", columns - both, before, marks), Style::Faint}};
    return {{place, Style::Faint}};
  }

  // ---- keys
  std::vector<KeyTable> tables() const override;
  void add_keys(std::vector<KeyLayer>& layers) override {
    if (code_.is_on()) layers.push_back({this, code_keys(), KeysBelow::Hidden});
    if (link_) layers.push_back({this, link_keys(), KeysBelow::Hidden});
    cells_.add_keys(layers);
    layers.push_back({this, step_keys()});
    layers.push_back({this, is_program() ? program_keys() : PathScreen::keys()});
  }

  // ---- the cells
  KeyOwner* press(const Key& key) override {
    const size_t depth = cells_.depth();
    KeyOwner* const by = Screen::press(key);
    if (by == &cells_) see_cells(depth);
    return by;
  }
  // Called after a key for the cells. depth: how many pages were open before the key.
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

  // ---- the view of the step
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

  void show_enclosing_definitions() {
    const Lines lines = enclosing_definition_lines(navigator_.recording(), navigator_.step());
    if (lines.empty()) return say("The lines of this step are a part of no class: they ran by themselves.");
    const auto marked = lines.find([](const Line& l) { return !l.empty() && l[0].text == "> "; });
    show_overlay({.lines = [lines](size_t) { return lines; }, .line = is_program() ? marked : std::nullopt});
  }
  void show_words() {
    const auto spot = cells_.spot();
    if (!words_.open(navigator_.recording(), navigator_.step(), spot ? spot->tensor : ""))
      return say("This step uses no word of the glossary.");
    show_overlay({.lines = [this](size_t columns) { return words_.lines(columns); },
                  .keys = {&words_, StepGlossary::keys()}});
  }

  // ---- moving
  void show_step() override {
    view_.renew_from_top();
    code_.leave();
    link_.reset();
    cells_.arrive(navigator_.recording(), navigator_.step());
    if (cells_.is_on()) view_.renew_and_follow_cursor();
    context_.arrived();
    quiz_.arrive(navigator_.recording(), navigator_.step());
    if (quiz_.asks_on_arrival()) predict();
  }

  bool asks_each_step() const { return quiz_.asks_on_arrival(); }
  bool can_go_inside() const { return !more_below() && !asks_each_step() && navigator_.inside() > 0; }
  bool go_inside() {
    if (!can_go_inside() || !navigator_.go_inside()) return false;
    arrive();
    return true;
  }
  bool is_inside() const { return navigator_.step().is_inside() && !is_searching(); }
  void leave_inside() {
    if (navigator_.leave_inside()) arrive();
  }
  KeyHint enter_hint() const {
    if (can_go_inside()) return {"Space", "next"};
    return {"Enter", more_below() ? "down" : is_end() ? "on" : navigator_.is_last() ? "" : "next"};
  }
  void enter() { more_below() || !is_end() ? read_on() : go_on(); }
  void read_on() { more_below() ? page_down() : next(); }
  void next() {
    if (asks_each_step() ? navigator_.next() : navigator_.next_on_road()) return arrive();
    say(is_end() ? "This is the last step. " + on_text() : "This is the last step. q quits.");
  }
  void next_or_match() { is_searching() ? search("", true) : next(); }
  bool is_first() const { return navigator_.is_first(); }
  void back() {
    if (asks_each_step() ? navigator_.back() : navigator_.back_on_road())
      arrive();
    else
      say("This is the first step.");
  }
  void to_last() {
    navigator_.go_to_last();
    arrive();
  }
  KeyHint over_hint() const { return {"B", navigator_.is_backward() ? "forward" : "backward", 6}; }
  void turn_over() {
    if (navigator_.has_backward()) return turn_over_now();
    compute("Going backward ...", [this, &navigator = navigator_]() -> BackgroundWork::Continuation {
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
    if (const Entry* other = spot ? counterpart_tensor(spot->tensor, navigator_.step()) : nullptr)
      cells_.replace(navigator_.recording(), navigator_.step(), CellFocus::Spot{other->name, spot->cell});
  }

  // ---- a program's run
  void turn(const Key& key) {
    if (navigator_.turn(key.is(']')))
      arrive();
    else
      say(key.is(']') ? "This is the last turn of this line." : "This is the first turn of this line.");
  }
  void list_turns() {
    const Lines lines = turns_page(navigator_);
    if (lines.empty())
      say("This step is no line of a program.");
    else
      show_overlay({.lines = [lines](size_t) { return lines; }});
  }

  // ---- a question, whose answer is hidden meanwhile
  bool may_predict() const { return quiz_.may_ask(); }
  void ask_for_prediction() {
    if (!predict()) say("This step has nothing to predict.");
  }
  bool predict() {  // false: there is nothing to ask
    if (cells_.is_open() || !quiz_.ask()) return false;
    ask_question();
    see_question();
    return true;
  }
  void ask_question() {
    const auto enter = [this](const std::string& typed) {
      reply(typed);
      if (quiz_.is_open()) ask_question();
    };
    const auto escape = [this] {
      quiz_.put_off();
      view_.renew();
    };
    ask({.words = quiz_.prompt(),
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
      return true;  // Enter right after "?" does not give up
    if (key.kind == Key::Kind::Text) return false;
    if (key.kind == Key::Kind::Left || key.kind == Key::Kind::Right) return shift(key), true;
    return scroll_by(key);
  }
  void reply(const std::string& line) {
    quiz_.reply(line);
    see_question();
  }
  void see_question() {
    view_.to_top();
    view_.renew();
  }

  bool hinted_ = false;  // the previous key was "?"
  StepGlossary words_;
  mutable RunMap map_;  // of the run with the trace mapped_
  mutable std::shared_ptr<const Recorder> mapped_;
};

using L = LessonScreen;

KeyTable L::step_keys() {
  static constexpr KeyRow kRows[] = {
      {"Enter", "at the end of a step that has steps inside: to these", does<&L::go_inside>,
       Hint("inside", 0, when<&L::can_go_inside>)},
      {"Enter", "the rest of a step, the next; at the end, on along the path", does<&L::enter>,
       now<&L::enter_hint>},
      {"Space", "the rest of a step, the next", does<&L::read_on>},
      {"o", "choose a link of this step, the next one; Enter follows it", does<&L::choose_link>,
       Hint("link", 2, when<&L::has_links>)},
      {"n", "next step; after a search, the next match", does<&L::next_or_match>,
       Hint("next match", 0, when<&L::is_searching>)},
      {"N", "after a search, the match before; Esc ends the search", does<&L::match_before>,
       Hint("match before", 0, when<&L::is_searching>)},
      {"Esc", {}, does<&L::end_search>, Hint("end search", 0, when<&L::is_searching>)},
      {"Esc", "from a step inside, back to the road", does<&L::leave_inside>,
       Hint("out", 1, when<&L::is_inside>)},
      {"b", "back one step", does<&L::back>, Hint("back", 3, unless<&L::is_first>)},
      {"g", "go to a step (number, id, section) or LESSON#STEP, then Enter", does<&L::ask_for_step>,
       Hint("go", 4)},
      {"G", "last step", does<&L::to_last>},
      {"/", "search titles, sentences, code, names, or a number: 0.3293", does<&L::ask_for_words>,
       Hint("search", 5)},
      {"Right Left, l h", "scroll wide tensors by a column", does<&L::shift>,
       Hint("columns", 0, when<&L::can_shift>, "<->")},
      {"f", "unfold or fold batches and tensors of 12 rows and more", does<&L::fold>, now<&L::fold_hint>},
      {"B", "to the gradient of what the step shows, and back again", does<&L::turn_over>,
       now<&L::over_hint>},
      {"Tab", "to the cells and back: arrows or hjkl move [the cell]", does<&L::enter_cells>, Hint("cells")},
      {"a", {}, does<&L::show_bars>},
      {"p", "a question about the step, to answer first; ? gives a hint", does<&L::ask_for_prediction>,
       Hint("predict", 1, when<&L::may_predict>)},
      {"e", "set the cell, or TENSOR[i,j]=V; ~ stands before what changes", does<&L::edit>},
      {"E", "edit a line of the code: arrows choose it, Enter runs it", does<&L::choose_line>,
       Hint("edit", 1, when<&L::has_lines>)},
      {"r", "take the last change back, of a number or of a line", does<&L::take_back>},
      {"c", "the class whose lines the step shows, whole", does<&L::show_enclosing_definitions>},
      {"w", "what the words of this step mean, from the glossary", does<&L::show_words>, Hint("words", 3)},
      {"t", "tensors as PyTorch prints them, or as grids", does<&L::exact_or_grids>, now<&L::exact_hint>},
      {". - + * @", "without colours: size of the number, in fifths of the largest"},
      {kMaskedBlock, "masked: a score of -inf, or the weight 0 that comes of it"},
  };
  return kRows;
}

KeyTable L::program_keys() {
  static constexpr KeyRow kRows[] = {
      {"] [", "of your own program, turns of this line; L lists them", does<&L::turn>,
       Hint("turn", 2, nullptr, "] [")},
      {"L", {}, does<&L::list_turns>, Hint("turns", 5)},
  };
  return kRows;
}

std::vector<KeyTable> L::tables() const {
  std::vector<KeyTable> tables = CellFocus::tables();
  tables.insert(tables.begin(), {step_keys(), is_program() ? program_keys() : PathScreen::keys()});
  tables.push_back(Screen::keys());
  return tables;
}

}  // namespace

std::vector<KeyTable> lesson_keys() {
  std::vector<KeyTable> tables = CellFocus::tables();
  tables.insert(tables.begin(), {L::step_keys(), L::program_keys(), PathScreen::keys()});
  tables.push_back(Screen::keys());
  return tables;
}

void step_on_screen(Navigator& navigator, StepQuiz& quiz, const LessonContext& context, Input& input,
                    Output& out, std::string message) {
  L(navigator, quiz, context, input, out, std::move(message)).run();
}

}  // namespace glassgrad::learn
