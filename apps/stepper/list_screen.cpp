#include "apps/stepper/list_screen.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/stepper/lesson_list.h"
#include "apps/stepper/path_screen.h"

namespace glassgrad::learn {
namespace {

class ListScreen : public PathScreen {
 public:
  ListScreen(NavigationHistory& history, const Progress& progress, Input& input, Output& out)
      : PathScreen(history, progress, input, out, progress.take_remark(), "back to the list") {
    const Stop* const chosen = history.here.at.empty() ? progress.present() : stop_called(history.here.at);
    if (chosen) at_ = size_t(chosen - stops().data());
  }

  static KeyTable rows();

 private:
  const Stop& chosen() const { return stops()[at_]; }
  std::string stop() const override { return ""; }
  std::string place() const override { return chosen().name; }

  Head head() const override {
    const auto path = stops();
    const auto is_done = [&](const Stop& s) { return s.group == Group::Path && progress_.of(s.id).done; };
    const auto all = size_t(std::ranges::count(path, Group::Path, &Stop::group));
    const auto done = size_t(std::ranges::count_if(path, is_done));
    return {.place = "lessons and courses",
            .title = chosen().title,
            .counted = fmt::format("path {} of {} ", done, all),
            .filled = done * kBar / all};
  }

  const Lines& body(size_t columns, size_t) override {
    lines_ = Lines();
    line_of_.clear();
    const Stop* before = nullptr;
    for (const Stop& stop : stops()) {
      if (!before || before->group != stop.group) {
        if (before) lines_.push_back({});
        lines_.push_back({{heading_of(stop.group), Style::Bold}});
      }
      line_of_.push_back(lines_.size());
      lines_.push_back(
          {{&stop == &chosen() ? "> " : "  ", Style::Bold},
           {line_of(stop, progress_, columns - 2), &stop == &chosen() ? Style::Cursor : Style::Plain}});
      before = &stop;
    }
    return lines_;
  }
  std::optional<Place> cursor() const override { return Place{line_of_[at_], 0}; }
  Line foot(size_t) const override {
    return {{what_is_due(progress_, today()).empty() ? "" : "Questions are due: glassgrad review"}};
  }

  std::vector<KeyTable> tables() const override { return list_keys(); }
  void add_keys(std::vector<KeyLayer>& layers) override { layers.push_back({this, rows()}); }
  void open_chosen() { travel({chosen().words}); }
  void next() { at_ = std::min(at_ + 1, stops().size() - 1); }
  void back() { at_ -= std::min<size_t>(at_, 1); }
  void to_first() { at_ = 0; }
  void to_last() { at_ = stops().size() - 1; }
  // Scroll on or back by a screen; > goes to the first visible line, or to the end of the list that is
  // reached.
  void read_on() {
    if (!more_below()) return to_last();
    page_down();
    choose_in_sight();
  }
  void read_back(const Key& key) {
    scroll_by(key);
    choose_in_sight();
  }
  void choose_in_sight() {
    const auto seen = std::ranges::lower_bound(line_of_, scroll().top);
    at_ = scroll().top == 0 ? 0 : size_t(seen - line_of_.begin());
  }

  size_t at_ = 0;
  Lines lines_;
  std::vector<size_t> line_of_;  // index in lines_ of each stop
};

using S = ListScreen;

KeyTable S::rows() {
  static constexpr KeyRow kRows[] = {
      {"Enter", "open the lesson or course that > points to", does<&S::open_chosen>, "open"},
      {"Down, n | j ]", "to the next one", does<&S::next>, Hint("choose", 0, nullptr, "arrows")},
      {"Up, b | k [", "to the one before", does<&S::back>},
      {"Space, PgDn | Ctrl-F", "on by a screen", does<&S::read_on>, Hint("on", 1)},
      {"PgUp | Ctrl-B", "back by a screen", does<&S::read_back>},
      {"Home", "to the first one", does<&S::to_first>},
      {"End, G", "to the last one", does<&S::to_last>},
      {"Backspace", "back to where you came from", does<&S::go_back>,
       Hint("return", 1, when<&S::can_go_back>)},
  };
  return kRows;
}

// Asks for one line: the name of a lesson or course to open, or nothing to go on with the next one.
void ask_for_one(NavigationHistory& history, const Progress& progress, Input& input, Output& out) {
  const Stop* const present = progress.present();
  out.write(fmt::format(
      "{}Enter goes on with {}, a name opens it, {}q quits: ", what_is_due(progress, today()),
      (present ? present : &stops().front())->name,
      history.behind.empty() ? "" : fmt::format("b goes back to {}, ", visit_name(history.behind.back()))));
  out.flush();
  std::optional<std::string> line = input.line();
  if (!line) return out.write("\n");
  if (line->ends_with('\r')) line->pop_back();
  if (*line == "q") return;
  if (*line == "b" && !history.behind.empty()) return history.go_back();
  const Stop* const stop = line->empty() ? (present ? present : &stops().front()) : stop_called(*line);
  history.behind.push_back(history.here);
  history.go(stop ? Visit{stop->words} : Visit{{"learn", *line}});
}

}  // namespace

std::vector<KeyTable> list_keys() { return {S::rows(), Screen::keys_that_do_not_scroll()}; }

void choose_from_list(NavigationHistory& history, const StepOptions& how, Output& out) {
  const Progress progress(how.keep);
  SignalQueue signals;
  Input input(signals);
  if (!how.lines && !how.speak && can_show_screen(out))
    return ListScreen(history, progress, input, out).run();
  if (const std::string remark = progress.take_remark(); !remark.empty()) out.write(printable(remark) + "\n");
  out.write(lesson_list(progress));
  ask_for_one(history, progress, input, out);
}

}  // namespace glassgrad::learn
