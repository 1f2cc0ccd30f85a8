// The pages on the full screen of a terminal.
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <memory>

#include "apps/cli/text_width.h"
#include "apps/start/player.h"
#include "apps/terminal/painted.h"
#include "apps/terminal/terminal.h"
#include "apps/terminal/typed_line.h"
#include "engine/io/file.h"

namespace glassgrad::start {
namespace {

using Kind = Key::Kind;

constexpr size_t kLeastColumns = 80, kLeastLines = 24, kAround = 6;  // lines of header and footer
constexpr int64_t kPictures = 50;                                    // of a training, about

// A file that can always be read: who waits for keys and for it comes back at once.
class AlwaysReady {
 public:
  AlwaysReady() : fd_(::eventfd(1, EFD_CLOEXEC)) { check_system(fd_ >= 0, "cannot make an eventfd: {}"); }
  ~AlwaysReady() { ::close(fd_); }
  AlwaysReady(const AlwaysReady&) = delete;
  AlwaysReady& operator=(const AlwaysReady&) = delete;
  int fd() const { return fd_; }

 private:
  int fd_;
};

class Screen {
 public:
  Screen(Story& story, Learner learner, const Showing& how, Input& input, Output& out)
      : story_(story),
        learner_(std::move(learner)),
        how_(how),
        input_(input),
        out_(out),
        terminal_(out),
        palette_(palette_of_terminal()),
        message_(how.message) {}

  Onward run() {
    go_to(how_.from);
    while (!done_) {
      if (!input_.more_is_here()) draw();
      Key key{Kind::Unknown};
      switch (input_.wait(key, trains() ? ready_.fd() : -1)) {
        case Input::Event::Key:
          press(key);
          break;
        case Input::Event::Redraw:
          terminal_.resume();
          drawn_step_ = -1;
          break;
        case Input::Event::Ready:
          train();
          break;
        case Input::Event::End:
          return {};
      }
    }
    return onward_;
  }

 private:
  bool trains() const { return place_ == kTraining && !story_.is_finished(); }

  // One step; after the last, what is compared, and on to where a learner has come back to.
  void train() {
    if (!story_.is_trained()) return story_.step();
    story_.finish();
    message_.clear();
    go_to(std::max(after_training_, kTraining));
  }

  void go_to(size_t place) {
    after_training_ = place;
    place_ = place > kTraining && !story_.is_finished() ? kTraining : place;
    opened_ = false;
    renew();
    if (place_ == place) how_.arrived(place);
  }

  void renew() {
    page_ = std::make_unique<Page>(make_page(place_, story_, learner_));
    drawn_step_ = -1;
  }

  // ---- keys
  void press(const Key& key) {
    drawn_step_ = -1;
    if (asked_) return type(key);
    if (!trains()) message_.clear();
    if (key.is('q') || key.is_control('d'))
      done_ = true;
    else if (key.is_control('l'))
      return;
    else if (trains())
      press_in_training(key);
    else if (key.is('i') || (opened_ && (key.kind == Kind::Backspace || key.kind == Kind::Escape)))
      open_or_close();
    else if (key.kind == Kind::Enter || key.is(' ') || key.is('n') || key.kind == Kind::Right)
      opened_ ? open_or_close() : next();
    else if (key.is('b') || key.kind == Kind::Left)
      opened_ ? open_or_close() : back();
    else if (!choose(key))
      message_ = fmt::format("{} means nothing here; the keys stand below", name_of(key));
  }

  void press_in_training(const Key& key) {
    if (key.is('s'))
      story_.end_early();
    else if (key.is('b'))
      back();
    else
      message_ = "It trains, and goes on by itself; s goes on with what it has learned so far";
  }

  void open_or_close() {
    opened_ = !opened_ && !page_->opened.empty();
    if (!opened_ && page_->opened.empty()) message_ = "This page has no number to open";
  }
  void next() {
    if (place_ + 1 < kPages.size())
      go_to(place_ + 1);
    else
      message_ = "This is the last page: press a number, or q to leave";
  }
  void back() {
    if (place_ > 0)
      go_to(place_ - 1);
    else
      message_ = "This is the first page";
  }

  bool choose(const Key& key) {
    if (key.kind != Kind::Text || key.text.size() != 1 || opened_) return false;
    const auto chosen = size_t(key.text[0]) - size_t('1');
    if (chosen >= page_->choices.size()) return false;
    const Choice choice = page_->choices[chosen];  // a copy: next() makes a page anew
    if (place_ == 0) {
      learner_.guess = choice.words;
      how_.guessed(choice.words);
      next();
      message_ = fmt::format("Your guess is {}; we come back to it", choice.words);
    } else if (onward_ = choice.arguments; choice.asks.empty()) {
      done_ = true;
    } else {
      asked_.emplace(choice.asks, 'o');
    }
    return true;
  }

  void type(const Key& key) {
    switch (asked_->press(key)) {
      case TypedLine::State::Typing:
        return;
      case TypedLine::State::Done:
        if (asked_->typed().empty()) break;
        message_ = problem_of_file(asked_->typed());
        done_ = message_.empty();
        if (done_) onward_.push_back(asked_->typed());
        break;
      case TypedLine::State::Left:
        break;
    }
    if (!done_) onward_.clear();
    asked_.reset();
  }

  // ---- drawing
  void draw() {
    if (trains()) {
      // Not every step: a picture takes as long as one.
      if (drawn_step_ >= 0 && (story_.done() - drawn_step_) * kPictures < story_.steps()) return;
      renew();
      writes_ = story_.writes_now();
    }
    drawn_step_ = story_.done();
    const Output::Screen screen = out_.screen();
    std::optional<Cursor> cursor;
    std::vector<Line> lines;
    if (screen.columns < kLeastColumns || screen.lines < kLeastLines) {
      lines.resize(std::max<size_t>(screen.lines, 1));
      lines[0] = {{fmt::format("Make the window {} x {}, please, or press q.", kLeastColumns, kLeastLines)}};
    } else {
      lines = all_lines(screen);
      if (asked_) cursor = {lines.size() - 1, asked_->shown(screen.columns).cursor + 1};
    }
    out_.control(painted(lines, screen, palette_, cursor));
    out_.flush();
  }

  std::vector<Line> all_lines(const Output::Screen& screen) const {
    const Page& page = opened_ ? page_->opened.front() : *page_;
    const std::string left = fmt::format(" start  {}/{}  {}", place_ + 1, kPages.size(), page.id);
    constexpr size_t kWide = 20;
    const std::string bar =
        fmt::format("[{:.<{}}] ", std::string((place_ + 1) * kWide / kPages.size(), '='), kWide);
    std::vector<Line> lines{{{left_aligned(left, screen.columns - bar.size()) + bar, Style::Reverse}},
                            {{" " + page.title, Style::Bold}},
                            {{std::string(screen.columns, '-'), Style::Faint}}};
    std::vector<Line> body = page.lines(screen.columns - 2);
    if (trains()) {
      body.push_back({});
      body.push_back({{fmt::format(
          " step {} of {}{}", story_.done(), story_.steps(),
          story_.losses().empty() ? "" : fmt::format("   loss {:.4f}", story_.losses().back()))}});
      body.push_back({{" it writes: " + writes_}});
    }
    body.resize(screen.lines - kAround);
    lines.insert(lines.end(), body.begin(), body.end());
    lines.push_back({{std::string(screen.columns, '-'), Style::Faint}});
    const std::string said = asked_ ? asked_->shown(screen.columns).text : message_;
    lines.push_back({{cut(said, screen.columns), Style::Bold}});
    lines.push_back(keys());
    return lines;
  }

  Line keys() const {
    std::vector<std::pair<std::string, std::string>> keys;
    if (asked_) {
      keys = {{"Enter", "go"}, {"Esc", "never mind"}};
    } else if (trains()) {
      keys = {{"s", "stop training here"}, {"b", "back"}, {"q", "quit"}};
    } else if (opened_) {
      keys = {{"Enter", "close"}, {"q", "quit"}};
    } else {
      if (!page_->choices.empty()) keys.push_back({fmt::format("1-{}", page_->choices.size()), "choose"});
      if (place_ + 1 < kPages.size()) keys.push_back({"Enter", "next"});
      if (place_ > 0) keys.push_back({"b", "back"});
      if (!page_->opens.empty()) keys.push_back({"i", "opens " + page_->opens});
      keys.push_back({"q", "quit"});
    }
    Line line;
    for (const auto& [key, what] : keys) {
      if (!line.empty()) line.push_back({"  "});
      line.push_back({key, Style::Bold});
      line.push_back({" " + what});
    }
    return line;
  }

  Story& story_;
  Learner learner_;
  const Showing& how_;
  Input& input_;
  Output& out_;
  AlwaysReady ready_;
  Terminal terminal_;
  const Palette palette_;
  size_t place_ = 0, after_training_ = 0;
  std::unique_ptr<Page> page_;
  int64_t drawn_step_ = -1;  // of the training, in the last picture; -1: a picture is due
  std::string message_, writes_;
  std::optional<TypedLine> asked_;
  bool opened_ = false, done_ = false;
  Onward onward_;
};

}  // namespace

Onward show_on_screen(Story& story, Learner learner, const Showing& how, Input& input, Output& out) {
  return Screen(story, std::move(learner), how, input, out).run();
}

}  // namespace glassgrad::start
