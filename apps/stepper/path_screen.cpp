#include "apps/stepper/path_screen.h"
#include "engine/core/joined.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/text_width.h"
#include "apps/show/step_page.h"
#include "apps/stepper/lesson_list.h"

namespace glassgrad::learn {

std::string visit_name(const Visit& visit) {
  if (visit.words == std::vector<std::string>{"learn"}) return "the list";
  const auto is_it = [&](const Stop& stop) {  // flags may follow
    return std::ranges::mismatch(stop.words, visit.words).in1 == stop.words.end();
  };
  const auto stop = std::ranges::find_if(stops(), is_it);
  const std::string name = stop != stops().end() ? stop->name : joined(visit.words, " ");
  return visit.at.empty() ? name : fmt::format("{}#{}", name, visit.at);
}

KeyTable PathScreen::keys() {
  static constexpr KeyRow kRows[] = {
      {"]  [", "next lesson or course, the one before, in the list's order", does<&PathScreen::go_beside>,
       Hint("lesson", 6, nullptr, "] [")},
      {"Backspace", "back to where you came from", does<&PathScreen::go_back>,
       Hint("return", 5, when<&PathScreen::can_go_back>)},
      {"L", "the list of lessons and courses", does<&PathScreen::to_list>, Hint("list", 6)},
  };
  return kRows;
}

bool is_travel(std::string_view word) {
  return word == "on" || word == "return" || word == "list" || word == "]" || word == "[";
}

Destination destination(std::string_view word, const std::string& stop, const Visit& here,
                        const NavigationHistory& history, const Progress& progress) {
  const auto to = [&](std::vector<std::string> words) {
    Destination found{{std::move(words)}, history.behind, {}};
    found.behind.push_back(here);
    return found;
  };
  const Stop* const beside = word == "on"                 ? progress.next_after(stop)
                             : word == "]" || word == "[" ? stop_beside(stop, word == "]")
                                                          : nullptr;
  if (beside) return to(beside->words);
  if (word == "]" || word == "[")
    return {.problem = fmt::format("The list has nothing {} this.", word == "]" ? "behind" : "before")};
  if (word == "list" || (word == "on" && history.behind.empty())) return to({"learn"});
  if (history.behind.empty()) return {.problem = "You came from nowhere else."};
  Destination found{history.behind.back(), history.behind, {}};
  found.behind.pop_back();
  return found;
}

std::string on_text(const std::string& stop, const NavigationHistory& history, const Progress& progress) {
  if (const Stop* next = progress.next_after(stop))
    return fmt::format("goes on to {}: {} ({} minutes)", next->name, next->title, next->minutes);
  return history.behind.empty() ? "opens the list of lessons"
                                : fmt::format("goes back to {}", visit_name(history.behind.back()));
}

void PathScreen::open(Visit to, std::vector<Visit> behind) {
  history_.behind = std::move(behind);
  history_.go(std::move(to));
  leave();
}

void PathScreen::travel(Visit to) {
  std::vector<Visit> behind = history_.behind;
  behind.push_back({history_.here.words, place()});
  open(std::move(to), std::move(behind));
}

void PathScreen::lead(std::string_view word) {
  Destination found = destination(word, stop(), {history_.here.words, place()}, history_, progress_);
  if (!found.problem.empty()) return say(found.problem);
  open(std::move(found.to), std::move(found.behind));
}

Lines PathScreen::ending(size_t columns) const {
  const size_t widest = std::min(columns, kWidestText);
  std::vector<Line> lines{{}};
  for (std::string& line : path_bar(progress_, stop(), widest)) lines.push_back({{std::move(line)}});
  for (std::string& line : filled(on_text(), 0, widest)) lines.push_back({{std::move(line), Style::Bold}});
  return lines;
}

}  // namespace glassgrad::learn
