#include "apps/learn/full_screen.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/arguments.h"
#include "apps/learn/address.h"
#include "apps/learn/backward.h"
#include "apps/learn/cell_focus.h"
#include "apps/learn/difference.h"
#include "apps/learn/page.h"
#include "apps/learn/screen.h"
#include "apps/learn/scroll.h"
#include "apps/terminal/text_width.h"
#include "apps/terminal/typed_line.h"

namespace glassgrad::learn {
namespace {

using Kind = Key::Kind;

class FullScreen {
 public:
  FullScreen(Navigator& navigator, StepQuestion& question, Input& input, Output& out, std::string message,
             const std::function<void()>& arrived, const std::function<void()>& resume)
      : navigator_(navigator),
        question_(question),
        input_(input),
        out_(out),
        terminal_(out),
        palette_(palette_of_terminal()),
        message_(std::move(message)),
        arrived_(arrived),
        resume_(resume) {}

  void run() {
    arrive();
    while (!done_) {
      if (!input_.more_is_here()) draw();
      Key key{Kind::Unknown};
      switch (input_.wait(key)) {
        case Input::Event::Key:
          press(key);
          break;
        case Input::Event::Redraw:
          terminal_.resume();
          break;
        case Input::Event::End:
          return;
      }
    }
  }

 private:
  // ---- drawing
  void draw() {
    const Output::Screen now = out_.screen();
    if (now.columns != screen_.columns) stale_ = true;
    screen_ = now;
    if (stale_) build();
    scroll_.top = std::min(scroll_.top, Scroll::last_top(body(), height()));
    if (follow_cursor_) show_cursor();
    out_.write(drawn(navigator_,
                     {.body = body(),
                      .marked = page_.marked && !help_,
                      .changed = page_.changed && !help_,
                      .top = scroll_.top,
                      .message = message_.empty() && cells_.is_on() ? cells_.status() : message_,
                      .prompt = prompt_ ? std::optional(prompt_->shown()) : std::nullopt,
                      .keys = keys()},
                     screen_, palette_));
    out_.flush();
  }

  void build() {
    view_.columns = std::max<size_t>(screen_.columns, 1);
    view_.focus = cells_.is_on() ? &cells_.cursor().entry() : nullptr;
    view_.cursor = cells_.is_on() ? std::optional(cells_.cursor().cell()) : std::nullopt;
    if (cells_.is_open()) {
      page_ = Page();
      page_.lines = cells_.lines(std::min(view_.columns, kWidestText), view_.exact);
    } else {
      PageView view = view_;
      question_.show_on(view);
      page_ = page_of(navigator_.recording(), navigator_.step(), view);
      view_.left = std::min(page_.left, page_.left_most);
    }
    if (searching_)
      for (Line& line : page_.lines) highlight(line, navigator_.searched());
    stale_ = false;
  }

  void show_cursor() {
    follow_cursor_ = false;
    const auto has_cursor = [](const Line& line) {
      return std::any_of(line.begin(), line.end(), [](const Span& s) { return s.style == Style::Cursor; });
    };
    const auto found = std::find_if(page_.lines.begin(), page_.lines.end(), has_cursor);
    if (found == page_.lines.end()) return;
    scroll_.show(static_cast<size_t>(found - page_.lines.begin()), body(), height());
  }

  size_t height() const { return body_height(screen_); }
  const std::vector<Line>& body() const { return help_ ? help_page_ : page_.lines; }
  bool more_below() const { return scroll_.more_below(body(), height()); }

  std::vector<KeyHint> keys() const {
    if (question_.is_open())
      return {{"Enter", "answer; with nothing, give up"}, {"Esc", "not now"}, {"PgDn PgUp", "scroll"}};
    if (prompt_) return {{"Enter", "go"}, {"Esc", "never mind"}};
    if (help_) return {{"any other key", "back to the lesson"}};
    std::vector<KeyHint> keys;
    if (cells_.is_on()) {
      keys = cells_.keys();
      keys.insert(keys.end(), {{"?", "help", 1}, {"q", "quit"}});
      return keys;
    }
    if (more_below())
      keys.push_back({"Enter", "more"});
    else if (!navigator_.is_last())
      keys.push_back({"Enter", "next"});
    if (searching_)
      keys.insert(keys.end(), {{"n", "next match"}, {"N", "match before"}, {"Esc", "end search"}});
    if (!navigator_.is_first()) keys.push_back({"b", "back", 1});
    keys.insert(keys.end(), {{"g", "go to", 3}, {"/", "search", 3}, {"] [", "lesson", 6}});
    if (page_.left_most > 0 && !view_.exact) keys.push_back({"<- ->", "columns", 2});
    if (page_.long_one && !view_.exact) keys.push_back({"f", view_.folded ? "unfold" : "fold", 2});
    keys.push_back({"B", navigator_.is_backward() ? "forward" : "backward", 6});
    keys.push_back({"Tab", "cells", 1});
    keys.push_back({"p", "predict", 6});
    keys.push_back({"t", view_.exact ? "grids" : "as PyTorch", 5});
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
    else if (!focus(key) && !scroll(key) && !move(key) && !look(key))
      message_ = fmt::format("{} means nothing here; ? shows the keys", name_of(key));
  }

  void press_in_help(const Key& key) {
    if (key.is(' ') && more_below())
      scroll_.page_down(body(), height());
    else if (!scroll(key))
      toggle_help();
  }
  void toggle_help() {
    help_ = !help_;
    std::swap(scroll_, other_scroll_);
    if (help_) scroll_.top = 0;
  }

  // What the cells do with the key.
  bool focus(const Key& key) {
    const bool was_on = cells_.is_on();
    const size_t depth = cells_.depth();
    if (!cells_.press(key, view_.folded)) return false;
    if (!was_on && !cells_.is_on()) message_ = "No tensor of this step has a cell.";
    if (cells_.depth() == 0 || depth == 0) view_.exact = false;
    if (cells_.depth() > depth) scroll_.top = 0;
    follow_cursor_ = stale_ = true;
    return true;
  }

  bool scroll(const Key& key) {
    if (scroll_.press(key, body(), height())) return true;
    if (key.kind == Kind::Right || key.is('l'))
      shift(1);
    else if (key.kind == Kind::Left || key.is('h'))
      shift(-1);
    else
      return false;
    return true;
  }
  void shift(int64_t columns) {
    view_.left = std::clamp<int64_t>(view_.left + columns, 0, page_.left_most);
    stale_ = true;
  }

  bool move(const Key& key) {
    if (key.kind == Kind::Enter || key.is(' ')) {
      more_below() ? scroll_.page_down(body(), height()) : next();
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
      change_lesson(key.is(']'));
    } else {
      return false;
    }
    return true;
  }

  bool look(const Key& key) {
    if (key.is('t')) {
      view_.exact = !view_.exact;
      scroll_.top = 0;
    } else if (key.is('f')) {
      view_.folded = !view_.folded;
      if (!page_.long_one) message_ = "No tensor of this step is long enough to fold.";
    } else if (key.kind == Kind::Escape) {
      searching_ = false;
    } else if (key.is('g')) {
      prompt_.emplace("Go to step (number, id or section): ", 'g');
    } else if (key.is('/')) {
      prompt_.emplace("/", '/');
    } else if (key.is('e')) {
      edit();
    } else if (key.is('r')) {
      change([&] { return navigator_.take_back(); });
    } else if (key.is('p')) {
      if (!predict()) message_ = "This step has nothing to predict.";
    } else if (key.is('?')) {
      toggle_help();
    } else if (key.is('q') || key.is_control('d')) {
      done_ = true;
    } else if (!key.is_control('l')) {
      return false;
    }
    stale_ = true;
    return true;
  }

  // ---- moving
  void arrive() {
    searching_ = false;
    show_step();
  }
  void show_step() {
    scroll_.top = 0;
    view_.left = 0;
    cells_.arrive(navigator_.recording(), navigator_.step());
    follow_cursor_ = cells_.is_on();
    stale_ = true;
    arrived_();
    question_.arrive(navigator_.recording(), navigator_.step());
    if (question_.asks_on_arrival()) predict();
  }

  // Asks for a number of the step, which is hidden meanwhile. false: there is none to ask for.
  bool predict() {
    if (cells_.is_open() || !question_.ask()) return false;
    prompt_.emplace(question_.prompt(), 'p');
    scroll_.top = 0;
    stale_ = true;
    return true;
  }
  void answer(const std::string& line) {
    question_.reply(line);
    if (question_.is_open()) prompt_.emplace(question_.prompt(), 'p');
    scroll_.top = 0;
    stale_ = true;
  }

  void next() {
    if (navigator_.next()) return arrive();
    const Lesson* after = navigator_.neighbour(true);
    message_ = after ? fmt::format("This is the last step. ] goes on with the lesson {}, q quits.", after->id)
                     : "This is the last step of the last lesson. q quits.";
  }

  void search(const std::string& text, bool forward) {
    if (text.empty() && navigator_.searched().empty()) {
      message_ = "Nothing has been searched for yet: / and a text.";
    } else if (const int before = navigator_.step().number; navigator_.search(text, forward)) {
      searching_ = true;
      show_step();
      draw_match();
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

  // Scrolls to the first line that has what was searched for.
  void draw_match() {
    build();
    const std::string words = lower(navigator_.searched());
    const auto has = [&](const Line& line) {
      return lower(plain_text(line)).find(words) != std::string::npos;
    };
    const auto found = std::find_if(page_.lines.begin(), page_.lines.end(), has);
    if (found == page_.lines.end()) return;
    scroll_.show(static_cast<size_t>(found - page_.lines.begin()), body(), height());
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
    const bool was_backward = navigator_.is_backward();
    const auto spot = cells_.spot();
    try {
      if (navigator_.turn_over(spot ? spot->tensor : "")) {
        arrive();
        if (const Entry* other = spot ? counterpart(spot->tensor, navigator_.step()) : nullptr)
          cells_.replace(navigator_.recording(), navigator_.step(), CellFocus::Spot{other->name, spot->cell});
        return;
      }
      message_ = was_backward
                     ? "The lesson does not show this tensor."
                     : "No gradient passes here: no loss depends on these tensors through the graph.";
    } catch (const Error& e) {
      message_ = e.what();
    }
  }

  void change_lesson(bool after) {
    const Lesson* lesson = navigator_.neighbour(after);
    if (!lesson) {
      message_ = after ? "This is the last lesson." : "This is the first lesson.";
      return;
    }
    message_ = fmt::format("Computing the lesson {} ...", lesson->id);
    draw();
    message_.clear();
    try {
      const Busy busy;
      navigator_.change_to(*lesson);
    } catch (const std::exception& e) {
      message_ = e.what();
      return;
    }
    resume_();
    if (!navigator_.is_first()) message_ = "Going on where you stopped; g 1 goes to the first step.";
    arrive();
  }

  // ---- what if
  void edit() {
    const auto spot = cells_.spot();
    if (cells_.is_open())
      message_ = "Backspace closes this page; in the step, e sets the number in brackets.";
    else if (spot)
      prompt_.emplace(fmt::format("{}{} = ", spot->tensor, cell_text(spot->cell)), 'e');
    else
      prompt_.emplace("Set a number, TENSOR[i,j]=V: ", 'e');
  }

  void set(const std::string& typed) {
    const auto spot = cells_.spot();
    const std::string cell = spot ? fmt::format("{}{}=", spot->tensor, cell_text(spot->cell)) : "";
    change([&] {
      navigator_.set(cell + typed);
      return true;
    });
  }

  // Sets a number, or takes one back: false if there is none.
  void change(const std::function<bool()>& change) {
    message_ = "Computing ...";
    draw();
    message_.clear();
    const auto spot = cells_.spot();
    try {
      const Busy busy;
      if (!change()) message_ = "Nothing is set.";
    } catch (const std::exception& e) {
      message_ = e.what();
    }
    cells_.replace(navigator_.recording(), navigator_.step(), spot);
    if (message_.empty()) message_ = brief_differences(navigator_.recording());
    follow_cursor_ = stale_ = true;
    arrived_();
  }

  // ---- a line being typed
  void type(const Key& key) {
    if (question_.is_open() && key.kind != Kind::Text && scroll(key)) return;
    const TypedLine::State state = prompt_->press(key);
    if (state == TypedLine::State::Typing) return;
    const TypedLine line = *prompt_;
    prompt_.reset();
    if (state == TypedLine::State::Done) return obey(line);
    if (question_.is_open()) question_.put_off(), stale_ = true;
  }

  void obey(const TypedLine& line) {
    const std::string& typed = line.typed();
    if (line.purpose() == 'p')
      answer(typed);
    else if (line.purpose() == '/')
      search(typed, true);
    else if (line.purpose() == 'e' && !typed.empty())
      set(typed);
    else if (!typed.empty())
      go_to(typed);
  }

  Navigator& navigator_;
  StepQuestion& question_;
  Input& input_;
  Output& out_;
  Terminal terminal_;
  const Palette palette_;
  Output::Screen screen_;
  Page page_;
  PageView view_;
  CellFocus cells_;
  bool follow_cursor_ = false;
  const std::vector<Line> help_page_ = help_lines();
  Scroll scroll_, other_scroll_;  // the other one: of the step while help is shown
  bool stale_ = true, help_ = false, searching_ = false, done_ = false;
  std::optional<TypedLine> prompt_;
  std::string message_;
  const std::function<void()>&arrived_, &resume_;
};

}  // namespace

void step_on_screen(Navigator& navigator, StepQuestion& question, Input& input, Output& out,
                    std::string message, const std::function<void()>& arrived,
                    const std::function<void()>& resume) {
  FullScreen(navigator, question, input, out, std::move(message), arrived, resume).run();
}

}  // namespace glassgrad::learn
