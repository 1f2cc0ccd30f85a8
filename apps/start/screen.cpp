// The pages on the full screen of a terminal.
#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/start/player.h"
#include "apps/stepper/path_screen.h"

namespace glassgrad::start {
namespace {

constexpr int64_t kPictures = 50;  // drawings of a training, about: a drawing takes as long as a step

class PageScreen : public learn::PathScreen {
 public:
  PageScreen(Story& story, Learner learner, const StartOptions& how, Input& input, Output& out)
      : PathScreen(how.history, how.progress, input, out, how.message, "back to the page"),
        story_(story),
        learner_(std::move(learner)),
        how_(how) {
    go_to(how_.from);
  }

  static KeyTable page_keys();
  static KeyTable training_keys();
  static KeyTable opened_keys();

 private:
  // ---- drawing
  const Page& seen() const { return opened_ ? page_.opened.front() : page_; }
  std::string stop() const override { return learn::kStart; }
  std::string place() const override { return std::string(kPages[place_]); }

  Head head() const override {
    return {.place = fmt::format("start  {}/{}  {}", place_ + 1, kPages.size(), seen().id),
            .title = seen().title,
            .filled = (place_ + 1) * kBar / kPages.size()};
  }

  const Lines& body(size_t columns, size_t) override {
    constexpr size_t kMargins = 2;
    if (trains()) renew();
    lines_ = seen().lines(std::max(columns, kMargins + 1) - kMargins);
    if (!has_next()) lines_.append(ending(columns));
    if (!trains()) return lines_;
    lines_.push_back({});
    lines_.push_back({{fmt::format(
        " step {} of {}{}", story_.done(), story_.steps(),
        story_.losses().empty() ? "" : fmt::format("   loss {:.4f}", story_.losses().back()))}});
    lines_.push_back({{" it writes: " + story_.writes_now()}});
    return lines_;
  }

  // ---- the training
  bool trains() const { return place_ == kTraining && !story_.is_finished(); }
  bool has_work() const override { return trains(); }
  // Makes one step; after the last, compares the models and goes to the place where the learner wanted to be.
  bool work() override {
    if (story_.is_trained()) {
      story_.finish();
      say("");
      go_to(std::max(after_training_, kTraining));
      return true;
    }
    story_.step();
    const bool is_due = story_.done() * kPictures / story_.steps() > drawn_;
    if (is_due) drawn_ = story_.done() * kPictures / story_.steps();
    return is_due;
  }

  // ---- keys
  std::vector<KeyTable> tables() const override { return start_keys(); }
  void add_keys(std::vector<KeyLayer>& layers) override {
    if (trains())
      return layers.insert(layers.end(), {{this, training_keys()}, {this, PathScreen::keys()}}), void();
    if (opened_) layers.push_back({this, opened_keys(), KeysBelow::Hidden});
    layers.push_back({this, page_keys()});
    layers.push_back({this, PathScreen::keys()});
  }

  void end_training() { story_.end_early(); }
  void wait_for_training() {
    say("It trains, and goes on by itself; s goes on with what it has learned so far");
  }

  KeyHint open_hint() const { return {"i", page_.opens.empty() ? "" : "opens " + page_.opens}; }
  void open_number() {
    if (page_.opened.empty()) return say("This page has no number to open");
    opened_ = true;
    scroll().top = 0;
  }
  void close() {
    opened_ = false;
    scroll().top = 0;
  }
  void read_and_close() { more_below() ? page_down() : close(); }

  void go_to(size_t place) {
    after_training_ = place;
    place_ = place > kTraining && !story_.is_finished() ? kTraining : place;
    close();
    renew();
    if (place_ == place) how_.arrived(place);
  }
  void renew() { page_ = make_page(place_, story_, learner_); }

  KeyHint enter_hint() const { return {"Enter", more_below() ? "down" : has_next() ? "next" : "on"}; }
  void enter() { more_below() || has_next() ? read_on() : go_on(); }
  void read_on() { more_below() ? page_down() : next(); }
  bool has_next() const { return place_ + 1 < kPages.size(); }
  bool has_before() const { return place_ > 0; }
  void next() {
    if (has_next())
      go_to(place_ + 1);
    else
      say("This is the last page. " + on_text());
  }
  void back() {
    if (has_before())
      go_to(place_ - 1);
    else
      say("This is the first page");
  }

  KeyHint choose_hint() const {
    return {fmt::format("1-{}", page_.choices.size()), page_.choices.empty() ? "" : "choose"};
  }
  bool choose(const Key& key) {
    const auto chosen = size_t(key.text[0] - '1');
    if (opened_ || chosen >= page_.choices.size()) return false;
    const Choice choice = page_.choices[chosen];  // a copy: next() replaces page_
    if (place_ == 0) {
      learner_.guess = choice.words;
      how_.guessed(choice.words);
      next();
      say(fmt::format("Your guess is {}; we come back to it", choice.words));
    } else if (choice.asks.empty()) {
      travel({choice.arguments});
    } else {
      ask_for_file(choice, "");
    }
    return true;
  }
  // Asks until the file can be read or nothing is typed. problem: of the last file.
  void ask_for_file(const Choice& choice, const std::string& problem) {
    ask({.words = problem + choice.asks, .enter = [this, choice](const std::string& name) {
           if (name.empty()) return;
           if (const std::string why = problem_of_file(name); !why.empty()) return ask_for_file(choice, why);
           std::vector<std::string> words = choice.arguments;
           words.push_back(name);
           travel({std::move(words)});
         }});
  }

  Story& story_;
  Learner learner_;
  const StartOptions& how_;
  size_t place_ = 0, after_training_ = 0;
  Page page_{"", ""};
  Lines lines_;
  int64_t drawn_ = 0;  // how often the training was drawn
  bool opened_ = false;
};

using P = PageScreen;

KeyTable P::page_keys() {
  static constexpr KeyRow kRows[] = {
      {"1-9", "choose what has this number", does<&P::choose>, now<&P::choose_hint>},
      {"Enter", "the rest of a page, the next; at the end, on along the path", does<&P::enter>,
       now<&P::enter_hint>},
      {"Space", "the rest of a page, the next", does<&P::read_on>},
      {"n Right", {}, does<&P::next>},
      {"b | Left", "page before", does<&P::back>, Hint("back", 0, when<&P::has_before>)},
      {"i", "open the number that the key bar names: its arithmetic", does<&P::open_number>,
       now<&P::open_hint>},
  };
  return kRows;
}

KeyTable P::training_keys() {
  static constexpr KeyRow kRows[] = {
      {"s", "while it trains: stop, and go on with what it has learned", does<&P::end_training>,
       "stop training here"},
      {"b", {}, does<&P::back>, "back"},
      {"Enter, Space | n Right i", {}, does<&P::wait_for_training>},
  };
  return kRows;
}

KeyTable P::opened_keys() {
  static constexpr KeyRow kRows[] = {
      {"Enter Space", {}, does<&P::read_and_close>, "close"},
      {"n Right b Left i Backspace Esc", {}, does<&P::close>},
  };
  return kRows;
}

}  // namespace

std::vector<KeyTable> start_keys() {
  return {P::page_keys(), P::training_keys(), P::PathScreen::keys(), Screen::keys()};
}

void show_on_screen(Story& story, Learner learner, const StartOptions& how, Input& input, Output& out) {
  PageScreen(story, std::move(learner), how, input, out).run();
}

}  // namespace glassgrad::start
