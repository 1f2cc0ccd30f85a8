// A screen that belongs to the list of all lessons and courses: its keys lead along the path, back to where
// the reader came from, and to the list.
#pragma once
#include <fmt/core.h>

#include "apps/cli/navigation_history.h"
#include "apps/lessons/path.h"
#include "apps/screen/screen.h"
#include "apps/stepper/progress.h"

namespace glassgrad::learn {

// Returns the name of a visit for the reader: "journey#masked-scores", "build gpt", "the list".
std::string visit_name(const Visit& visit);

// The place that a word leads to from a stop: "on" along the path, "return" to where the reader came from,
// "]" and "[" to the stops beside it, "list". here: where the reader is.
struct Destination {
  Visit to = {};
  std::vector<Visit> behind = {};  // the visits to return to from there
  std::string problem = {};        // why the word leads nowhere; empty if it leads somewhere
};
bool is_travel(std::string_view word);
Destination destination(std::string_view word, const std::string& stop, const Visit& here,
                        const NavigationHistory& history, const Progress& progress);
// Returns what "on" does at a stop: "goes on to build attention: Attention in twelve lines (40 minutes)".
std::string on_text(const std::string& stop, const NavigationHistory& history, const Progress& progress);

class PathScreen : public Screen {
 public:
  // The keys that every such screen has.
  static KeyTable keys();

 protected:
  // back: see Screen.
  PathScreen(NavigationHistory& history, const Progress& progress, Input& input, Output& out,
             std::string message, std::string back)
      : Screen(input, out, std::move(message), std::move(back)), history_(history), progress_(progress) {
    if (!has_said() && can_go_back()) say(back_text());
  }

  // The id of the screen's stop, and the step, page or exercise that it shows; empty: none.
  virtual std::string stop() const = 0;
  virtual std::string place() const = 0;
  // Goes to a visit, with `behind` as the visits to return to. Leaves the screen, unless the screen can show
  // the visit itself.
  virtual void open(Visit to, std::vector<Visit> behind);

  void travel(Visit to);        // goes there, and can come back
  void go_on() { lead("on"); }  // from the last page, along the path
  std::string on_text() const {
    return fmt::format("Enter {}.", learn::on_text(stop(), history_, progress_));
  }
  Lines ending(size_t columns) const;  // the path's bar, and on_text() below it

  bool can_go_back() const { return !history_.behind.empty(); }
  std::string back_text() const {
    return fmt::format("Backspace goes back to {}.", visit_name(history_.behind.back()));
  }
  void go_back() { lead("return"); }

  NavigationHistory& history_;
  const Progress& progress_;

 private:
  void lead(std::string_view word);
  void go_beside(const Key& key) { lead(key.text); }
  void to_list() { lead("list"); }
};

}  // namespace glassgrad::learn
