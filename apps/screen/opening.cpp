#include "apps/screen/opening.h"

#include "apps/cli/text_width.h"
#include "apps/screen/background.h"
#include "apps/screen/screen.h"

namespace glassgrad {
namespace {

constexpr int kMoment = 150;  // milliseconds

class OpeningScreen : public Screen {
 public:
  OpeningScreen(const Opening& opening, Background& work, Input& input, Output& out)
      : Screen(input, out, "", "back"), opening_(opening) {
    compute(opening.words, [this, &work]() -> Background::Continuation {
      constexpr int kPause = 20;  // milliseconds
      while (!work.is_done(kPause)) learn::throw_if_cancelled();
      return [this] { end(OpeningEnd::Whole); };
    });
  }

  OpeningEnd outcome() const { return outcome_; }
  std::vector<Key> take_keys() { return std::move(ahead_); }

 private:
  Head head() const override { return {.place = "glassgrad", .title = opening_.title}; }
  const Lines& body(size_t columns, size_t) override {
    lines_ = Lines();
    lines_.push_back({});
    for (std::string& line : filled(opening_.words, 1, columns)) lines_.push_back({{std::move(line)}});
    return lines_;
  }
  void add_keys(std::vector<KeySet>&) override {}
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
  void stopped() override { end(OpeningEnd::Stopped); }

  void end(OpeningEnd outcome) {
    outcome_ = outcome;
    leave();
  }

  const Opening& opening_;
  Lines lines_;
  std::vector<Key> ahead_;
  OpeningEnd outcome_ = OpeningEnd::Left;
};

}  // namespace

OpeningEnd run_opening(const Opening& opening, const std::function<void()>& run, Input& input, Output& out) {
  Background work;
  work.start([&]() -> Background::Continuation {
    run();
    return [] {};
  });
  if (!work.is_done(kMoment)) {
    OpeningScreen screen(opening, work, input, out);
    screen.run();
    if (screen.outcome() != OpeningEnd::Whole) return screen.outcome();
    input.type_ahead(screen.take_keys());
  }
  return work.finish() ? OpeningEnd::Whole : OpeningEnd::Stopped;
}

}  // namespace glassgrad
