// Moves the full screen elsewhere: to a step by its address, along a search, by a link, to a different
// lesson.
#pragma once
#include <utility>

#include "apps/stepper/editable_screen.h"

namespace glassgrad::learn {

class NavigableScreen : public EditableScreen {
 protected:
  using EditableScreen::EditableScreen;

  // Shows the step that the navigator is at now.
  void arrive() {
    searching_ = false;
    show_step();
  }
  virtual void show_step() = 0;

  // ---- by its address
  void ask_for_step();
  void go_to(const std::string& typed);  // a step, "rnn.why#fixed-size-state", a lesson or course

  // ---- searching
  bool is_searching() const { return searching_; }
  void ask_for_words();
  void search(const std::string& text, bool forward);
  void match_before() { search("", false); }
  bool end_search() { return std::exchange(searching_, false); }

  // ---- the links of the step's sentences
  bool has_links() const { return !links().empty(); }
  void choose_link();
  std::string link_text() const;  // of the chosen link
  static KeyTable link_keys();    // while a link is chosen

  // ---- travelling
  std::string stop() const override;
  std::string place() const override { return navigator_.is_backward() ? "" : navigator_.step().id; }
  void open(Visit to, std::vector<Visit> behind) override;

  bool searching_ = false;
  std::optional<size_t> link_;  // the chosen link

 private:
  std::vector<std::string> links() const;
  void move_link(const Key& key);
  void follow_link();
  void leave_links();
  bool leave_links_for(const Key& other);
  bool leads_to(const std::string& step);  // if it leads nowhere, says why and returns false
  void arrive_by(const Visit& to, const std::vector<Visit>& behind);

  const std::vector<std::string> own_ = history_.here.words;
};

}  // namespace glassgrad::learn
