// A screen that stands in the list of all that can be learned: its keys lead along the path, back to where
// the reader came from, and to the list.
#pragma once
#include <fmt/format.h>

#include "apps/cli/way.h"
#include "apps/lessons/path.h"
#include "apps/screen/screen.h"
#include "apps/stepper/progress.h"

namespace glassgrad::learn {

// What the reader sees of a visit: "journey#masked-scores", "build gpt", "the list".
std::string visit_name(const Visit& visit);

// Where a word leads from a stop: "on" along the path, "return" to where the reader came from, "]" and "[" to
// the stops beside it, "list". here: where the reader is.
struct Destination {
  Visit to = {};
  std::vector<Visit> behind = {};  // the visits behind it
  std::string problem = {};        // why the word leads nowhere; empty: it does
};
bool is_travel(std::string_view word);
Destination destination(std::string_view word, const std::string& stop, const Visit& here, const Way& way,
                        const Progress& progress);
// What "on" does there: "goes on to build attention: Attention in twelve lines (40 minutes)".
std::string on_text(const std::string& stop, const Way& way, const Progress& progress);

class Travelling : public Screen {
 public:
  // Keys that every such screen has.
  static KeyTable keys();

 protected:
  // back: as Screen's.
  Travelling(Way& way, const Progress& progress, Input& input, Output& out, std::string message,
             std::string back)
      : Screen(input, out, std::move(message), std::move(back)), way_(way), progress_(progress) {
    if (!has_said() && can_go_back()) say(back_text());
  }

  // The id of its stop, and the step, page or exercise that it shows; empty: none.
  virtual std::string stop() const = 0;
  virtual std::string place() const = 0;
  // Goes there; the visits behind it are those that it then has. Leaves the screen, if that has no other way.
  virtual void open(Visit to, std::vector<Visit> behind);

  void travel(Visit to);        // and can come back
  void go_on() { lead("on"); }  // from a last page
  std::string on_text() const { return fmt::format("Enter {}.", learn::on_text(stop(), way_, progress_)); }
  Lines ending(size_t columns) const;  // that, below the path's bar

  bool can_go_back() const { return !way_.behind.empty(); }
  std::string back_text() const {
    return fmt::format("Backspace goes back to {}.", visit_name(way_.behind.back()));
  }
  void go_back() { lead("return"); }

  Way& way_;
  const Progress& progress_;

 private:
  void lead(std::string_view word);
  void go_beside(const Key& key) { lead(key.text); }
  void to_list() { lead("list"); }
};

}  // namespace glassgrad::learn
