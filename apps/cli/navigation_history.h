// The reader's way from command to command: where the reader is, was, and goes next.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace glassgrad {

struct Visit {
  std::vector<std::string> words;  // the command line after `glassgrad`: {"learn", "journey"}
  std::string at = {};             // the step, page or exercise; empty: the command decides
};

struct NavigationHistory {
  Visit here = {};
  std::vector<Visit> behind = {};        // earlier visits; "back" leads to the last
  std::optional<Visit> next = {};        // runs when this command has ended
  std::vector<std::string> manner = {};  // flags that the next commands get too: --speak, --step, --no-state

  void go(Visit to) { next = std::move(to); }
  // Goes to the last of the earlier visits, if there is one.
  void go_back() {
    if (behind.empty()) return;
    go(std::move(behind.back()));
    behind.pop_back();
  }
};

}  // namespace glassgrad
