// Where the reader is, was and goes, across commands: a command line, and the step, page or exercise in it.
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace glassgrad {

struct Visit {
  std::vector<std::string> words;  // behind `glassgrad`: {"learn", "journey"}
  std::string at = {};             // empty: the command decides
};

struct Way {
  Visit here = {};
  std::vector<Visit> behind = {};        // where "back" leads, the last visit at the end
  std::optional<Visit> next = {};        // what runs when this command has ended
  std::vector<std::string> manner = {};  // flags that go along: --speak, --step, --no-state

  void go(Visit to) { next = std::move(to); }
  // To the last visit behind this one; nowhere, where there is none.
  void go_back() {
    if (behind.empty()) return;
    go(std::move(behind.back()));
    behind.pop_back();
  }
};

}  // namespace glassgrad
