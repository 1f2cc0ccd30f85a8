#include "apps/screen/loading_screen.h"

#include "apps/cli/text_width.h"
#include "apps/screen/background_work.h"
#include "apps/screen/screen.h"

namespace glassgrad {
namespace {

constexpr int kMoment = 150;  // milliseconds

class LoadingScreen : public Screen {
 public:
  LoadingScreen(const LoadingScreenText& text, BackgroundWork& work, Input& input, Output& out)
      : Screen(input, out, "", "back"), text_(text) {
    compute(text.words, [this, &work]() -> BackgroundWork::Continuation {
      constexpr int kPause = 20;  // milliseconds
      while (!work.is_done(kPause)) learn::throw_if_cancelled();
      return [this] { end(LoadingEnd::Whole); };
    });
  }

  LoadingEnd outcome() const { return outcome_; }
  std::vector<Key> take_keys() { return std::move(ahead_); }

 private:
  Head head() const override { return {.place = "glassgrad", .title = text_.title}; }
  const Lines& body(size_t columns, size_t) override {
    lines_ = Lines();
    lines_.push_back({});
    for (std::string& line : filled(text_.words, 1, columns)) lines_.push_back({{std::move(line)}});
    return lines_;
  }
  void add_keys(std::vector<KeyLayer>&) override {}
  // Keys are kept for the screen that follows, except Enter and Space, which would turn its first page before
  // it is seen.
  KeyOwner* press(const Key& key) override {
    if (ahead_.empty() && (key.kind == Key::Kind::Enter || key.is(' '))) return this;
    if (ahead_.empty() || key.kind == Key::Kind::Escape)
      if (KeyOwner* const by = Screen::press(key)) return by;
    say("");
    ahead_.push_back(key);
    return this;
  }
  std::vector<KeyTable> tables() const override { return {keys_that_do_not_scroll()}; }
  void stopped() override { end(LoadingEnd::Stopped); }

  void end(LoadingEnd outcome) {
    outcome_ = outcome;
    leave();
  }

  const LoadingScreenText& text_;
  Lines lines_;
  std::vector<Key> ahead_;
  LoadingEnd outcome_ = LoadingEnd::Left;
};

}  // namespace

LoadingEnd run_loading_screen(const LoadingScreenText& text, const std::function<void()>& run, Input& input,
                              Output& out) {
  BackgroundWork work;
  work.start([&]() -> BackgroundWork::Continuation {
    run();
    return [] {};
  });
  if (!work.is_done(kMoment)) {
    LoadingScreen screen(text, work, input, out);
    screen.run();
    if (screen.outcome() != LoadingEnd::Whole) return screen.outcome();
    input.type_ahead(screen.take_keys());
  }
  return work.finish() ? LoadingEnd::Whole : LoadingEnd::Stopped;
}

}  // namespace glassgrad
