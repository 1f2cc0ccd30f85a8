#include "apps/stepper/full_screen.h"

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <memory>

#include "apps/ask/backward.h"
#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/show/whole_code.h"
#include "apps/stepper/changing.h"
#include "apps/stepper/screen.h"
#include "apps/stepper/turns.h"
#include "apps/stepper/words.h"

namespace glassgrad::learn {
namespace {

using Kind = Key::Kind;

class FullScreen : private Changing {
 public:
  FullScreen(Navigator& navigator, StepQuestion& question, Input& input, Output& out, std::string message,
             const std::function<void()>& arrived, const std::function<void()>& resume)
      : Changing(navigator, question, arrived),
        input_(input),
        out_(out),
        terminal_(out),
        palette_(palette_of_terminal()),
        resume_(resume) {
    message_ = std::move(message);
  }

  void run() {
    arrive();
    while (!done_) {
      if (!input_.more_is_here()) draw();
      Key key{Kind::Unknown};
      // What was computed takes the step's place, but not under somebody who is typing or reads the help.
      const bool can_finish = background_.is_at_work() && !prompt_ && !help_;
      switch (wait(key, can_finish ? background_.fd() : -1)) {
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
  // Ctrl-C ends what is being computed, and the lesson where nothing is.
  Input::Event wait(Key& key, int ready) {
    try {
      return input_.wait(key, ready);
    } catch (const Interrupted& e) {
      if (e.signal != SIGINT || !background_.is_at_work()) throw;
      input_.forgive(e.signal);
      stop();
      return Input::Event::Redraw;
    }
  }

  // ---- drawing
  void draw() {
    screen_ = out_.screen();
    view_.fit(screen_.columns, height());
    help_scroll_.top = std::min(help_scroll_.top, Scroll::last_top(help_page_, height()));
    const StepPage& page = view_.page();
    out_.control(drawn(navigator_,
                       {.body = help_ ? help_page_ : page.lines,
                        .marked = page.marked && !help_,
                        .masked = page.masked && !help_,
                        .changed = page.changed && !help_,
                        .searched = searching_ && !help_ ? navigator_.searched() : "",
                        .top = help_ ? help_scroll_.top : view_.top(),
                        .message = status(),
                        .prompt = prompt_ ? std::optional(prompt_->shown(screen_.columns)) : std::nullopt,
                        .keys = keys()},
                       screen_, palette_));
    out_.flush();
  }

  std::string status() const {
    if (!message_.empty()) return message_;
    if (background_.is_at_work()) return at_work_;
    if (code_.is_on()) return fmt::format("line {} of the lesson's program", code_.line().at());
    return cells_.is_on() ? cells_.status() : "";
  }
  size_t height() const { return body_height(screen_); }

  std::vector<KeyHint> keys() const {
    if (question_.is_open())
      return {{"Enter", "answer; with nothing, give up"},
              {"?", "hint"},
              {"Esc", "not now"},
              {"PgDn PgUp", "scroll"}};
    if (prompt_ && prompt_->purpose() == 'E')
      return {{"Enter", "run the lesson with it"}, {"Esc", "never mind"}, {"<- -> Home End", "move"}};
    if (prompt_) return {{"Enter", "go"}, {"Esc", "never mind"}};
    if (words_.is_open()) return StepWords::keys();
    if (help_) return {{"any other key", "back to the lesson"}};
    if (code_.is_on()) return CodeFocus::keys();
    std::vector<KeyHint> keys;
    if (cells_.is_on()) {
      keys = cells_.keys();
      keys.insert(keys.end(), {{"?", "help", 1}, {"q", "quit"}});
      return keys;
    }
    if (view_.more_below())
      keys.push_back({"Enter", "more"});
    else if (!navigator_.is_last())
      keys.push_back({"Enter", "next"});
    if (searching_)
      keys.insert(keys.end(), {{"n", "next match"}, {"N", "match before"}, {"Esc", "end search"}});
    if (!navigator_.is_first()) keys.push_back({"b", "back", 1});
    keys.insert(keys.end(), {{"g", "go to", 3}, {"/", "search", 3}});
    if (is_program())
      keys.insert(keys.end(), {{"] [", "turn", 4}, {"L", "turns", 4}});
    else
      keys.push_back({"] [", "lesson", 6});
    if (view_.can_shift()) keys.push_back({"<- ->", "columns", 2});
    if (view_.page().long_one && !view_.is_exact())
      keys.push_back({"f", view_.is_folded() ? "unfold" : "fold", 2});
    keys.push_back({"B", navigator_.is_backward() ? "forward" : "backward", 6});
    keys.push_back({"Tab", "cells", 1});
    keys.push_back({"p", "predict", 6});
    if (!navigator_.is_backward() && !editable_lines(navigator_.step()).empty())
      keys.push_back({"E", "edit", 6});
    keys.push_back({"w", "words", 6});
    keys.push_back({"t", view_.is_exact() ? "grids" : "as PyTorch", 5});
    keys.insert(keys.end(), {{"?", "help", 1}, {"q", "quit"}});
    return keys;
  }

  // ---- keys
  void press(const Key& key) {
    message_.clear();
    if (help_)
      press_in_help(key);
    else if (prompt_)
      type(key);
    else if (background_.is_at_work() && key.kind == Kind::Escape)
      stop();
    else if (!pick_line(key) && !focus(key) && !view_.press(key) && !move(key) && !look(key))
      message_ = fmt::format("{} means nothing here; ? shows the keys", name_of(key));
  }

  void press_in_help(const Key& key) {
    if (words_.is_open() && words_.press(key))
      show_page(words_.lines(screen_.columns));
    else if (key.is(' ') && help_scroll_.more_below(help_page_, height()))
      help_scroll_.page_down(help_page_, height());
    else if (!help_scroll_.press(key, help_page_, height()))
      help_ = false, words_.close();
  }

  // What the cells do with the key.
  bool focus(const Key& key) {
    const bool was_on = cells_.is_on();
    const size_t depth = cells_.depth();
    if (!cells_.press(key, view_.is_folded())) return false;
    if (!was_on && !cells_.is_on()) message_ = "No tensor of this step has a cell.";
    if (cells_.depth() == 0 || depth == 0) view_.set_exact(false);
    if (cells_.depth() > depth) view_.to_top();
    view_.renew_and_follow_cursor();
    return true;
  }

  bool move(const Key& key) {
    if (key.kind == Kind::Enter || key.is(' ')) {
      view_.more_below() ? view_.page_down() : next();
    } else if (key.is('n')) {
      searching_ ? search("", true) : next();
    } else if (key.is('N')) {
      search("", false);
    } else if (key.is('b')) {
      if (navigator_.back())
        arrive();
      else
        message_ = "This is the first step.";
    } else if (key.is('G')) {
      navigator_.go_to_last();
      arrive();
    } else if (key.is('B')) {
      turn_over();
    } else if (key.is(']') || key.is('[')) {
      is_program() ? turn(key.is(']')) : change_lesson(key.is(']'));
    } else {
      return false;
    }
    return true;
  }

  bool look(const Key& key) {
    if (key.is('t')) {
      view_.set_exact(!view_.is_exact());
      view_.to_top();
    } else if (key.is('f')) {
      view_.fold_or_unfold();
      if (!view_.page().long_one) message_ = "No tensor of this step is long enough to fold.";
    } else if (key.kind == Kind::Escape) {
      searching_ = false;
    } else if (key.is('g')) {
      prompt_.emplace("Go to step (number, id or section): ", 'g');
    } else if (key.is('/')) {
      prompt_.emplace("/", '/');
    } else if (key.is('e')) {
      edit();
    } else if (key.is('E')) {
      choose_line();
    } else if (key.is('c')) {
      show_whole_code();
    } else if (key.is('L')) {
      list_turns();
    } else if (key.is('r')) {
      take_back();
    } else if (key.is('p')) {
      if (!predict()) message_ = "This step has nothing to predict.";
    } else if (key.is('w')) {
      const auto spot = cells_.spot();
      if (words_.open(navigator_.recording(), navigator_.step(), spot ? spot->tensor : ""))
        show_page(words_.lines(screen_.columns));
      else
        message_ = "This step uses no word of the glossary.";
    } else if (key.is('?')) {
      show_page(help_lines());
    } else if (key.is('q') || key.is_control('d')) {
      done_ = true;
    } else if (!key.is_control('l')) {
      return false;
    }
    view_.renew();
    return true;
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

  // Asks for a number of the step, which is hidden meanwhile. false: there is none to ask for.
  bool predict() {
    if (cells_.is_open() || !question_.ask()) return false;
    prompt_.emplace(question_.prompt(), 'p');
    view_.to_top();
    view_.renew();
    return true;
  }
  void answer(const std::string& line) {
    reply(line);
    if (question_.is_open()) prompt_.emplace(question_.prompt(), 'p');
  }
  void reply(const std::string& line) {
    question_.reply(line);
    view_.to_top();
    view_.renew();
  }

  void next() {
    if (navigator_.next()) return arrive();
    const Lesson* after = navigator_.neighbour(true);
    message_ = is_program() ? "This is the last step. q quits."
               : after
                   ? fmt::format("This is the last step. ] goes on with the lesson {}, q quits.", after->id)
                   : "This is the last step of the last lesson. q quits.";
  }

  void search(const std::string& text, bool forward) {
    if (text.empty() && navigator_.searched().empty()) {
      message_ = "Nothing has been searched for yet: / and a text.";
    } else if (const int before = navigator_.step().number; navigator_.search(text, forward)) {
      searching_ = true;
      show_step();
      view_.to_words(navigator_.searched());
      const int here = navigator_.step().number;
      if (here == before)
        message_ = "No other step has it.";
      else if ((here < before) == forward)
        message_ =
            forward ? "Past the last step: on from the first." : "Past the first step: on from the last.";
    } else {
      searching_ = false;
      message_ = fmt::format("No step has '{}'.", navigator_.searched());
    }
  }

  void go_to(const std::string& step) {
    try {
      navigator_.go_to(step);
      arrive();
    } catch (const UsageError& e) {
      message_ = e.what();
    }
  }

  void turn_over() {
    if (navigator_.has_backward()) return turn_over_now();
    compute("Going backward ...", [this]() -> Background::Rest {
      const auto backward = std::make_shared<Recording>(navigator_.backward());
      return [this, backward] {
        navigator_.have_backward(std::move(*backward));
        turn_over_now();
      };
    });
  }
  void turn_over_now() {
    const bool was_backward = navigator_.is_backward();
    const auto spot = cells_.spot();
    if (navigator_.turn_over(spot ? spot->tensor : "")) {
      arrive();
      if (const Entry* other = spot ? counterpart(spot->tensor, navigator_.step()) : nullptr)
        cells_.replace(navigator_.recording(), navigator_.step(), CellFocus::Spot{other->name, spot->cell});
      return;
    }
    message_ = was_backward ? "The lesson does not show this tensor."
                            : "No gradient passes here: no loss depends on these tensors through the graph.";
  }

  // ---- a program's run
  bool is_program() const { return navigator_.recording().lesson->run_by != nullptr; }

  void turn(bool after) {
    if (navigator_.turn(after)) return arrive();
    message_ = after ? "This is the last turn of this line." : "This is the first turn of this line.";
  }

  void list_turns() {
    std::vector<Line> lines = turns_page(navigator_);
    if (lines.empty())
      message_ = "This step is no line of a program.";
    else
      show_page(std::move(lines));
  }

  void change_lesson(bool after) {
    const Lesson* lesson = navigator_.neighbour(after);
    if (!lesson) {
      message_ = after ? "This is the last lesson." : "This is the first lesson.";
      return;
    }
    compute(fmt::format("Computing the lesson {} ...", lesson->id), [this, lesson]() -> Background::Rest {
      const auto opened = std::make_shared<WhatIf>(navigator_.open(*lesson));
      return [this, opened] {
        navigator_.change_to(std::move(*opened));
        view_.forget_recording();
        resume_();
        if (!navigator_.is_first()) message_ = "Going on where you stopped; g 1 goes to the first step.";
        arrive();
      };
    });
  }

  void show_whole_code() {
    std::vector<Line> lines = whole_code_lines(navigator_.recording(), navigator_.step());
    if (lines.empty()) {
      message_ = "The lines of this step are a part of no class: they ran by themselves.";
      return;
    }
    const bool program = is_program();
    show_page(std::move(lines));
    const auto marked = help_page_.find([](const Line& l) { return !l.empty() && l[0].text == "> "; });
    if (program && marked) help_scroll_.show(*marked, help_page_, height());
  }

  void show_page(Lines lines) {
    help_page_ = std::move(lines);
    help_ = true;
    help_scroll_.top = 0;
  }

  // ---- a line being typed
  void type(const Key& key) {
    const bool was_hinted = std::exchange(hinted_, question_.is_open() && key.is(kHintKey[0]));
    if (hinted_) return reply(std::string(kHintKey));
    if (was_hinted && key.kind == Kind::Enter && prompt_->typed().empty())
      return;  // "?" and Enter give up nothing
    if (question_.is_open() && key.kind != Kind::Text && view_.press(key)) return;
    const TypedLine::State state = prompt_->press(key);
    if (state == TypedLine::State::Typing) return;
    const TypedLine line = *prompt_;
    prompt_.reset();
    if (state == TypedLine::State::Done) return obey(line);
    if (question_.is_open()) question_.put_off(), view_.renew();
  }

  void obey(const TypedLine& line) {
    const std::string& typed = line.typed();
    if (line.purpose() != 'p' && background_.is_at_work() && background_.is_done(0)) finish();
    if (line.purpose() == 'p')
      answer(typed);
    else if (line.purpose() == '/')
      search(typed, true);
    else if (line.purpose() == 'e' && !typed.empty())
      set(typed);
    else if (line.purpose() == 'E' && code_.is_on())
      run_line(typed);
    else if (!typed.empty())
      go_to(typed);
  }

  Input& input_;
  Output& out_;
  Terminal terminal_;
  const Palette palette_;
  bool hinted_ = false;  // by the key before
  Output::Screen screen_;
  Lines help_page_;  // stands over the step: the keys, a class, or a word
  Scroll help_scroll_;
  StepWords words_;
  bool help_ = false, searching_ = false, done_ = false;
  const std::function<void()>& resume_;
};

}  // namespace

void step_on_screen(Navigator& navigator, StepQuestion& question, Input& input, Output& out,
                    std::string message, const std::function<void()>& arrived,
                    const std::function<void()>& resume) {
  FullScreen(navigator, question, input, out, std::move(message), arrived, resume).run();
}

}  // namespace glassgrad::learn
