// A screen of the first ten minutes: sentences, tables and pictures, for a terminal, as plain text, and for
// listening.
#pragma once
#include <fmt/core.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/terminal/line.h"

namespace glassgrad::start {

// A number of a table, with a bar after it if it is a share.
struct Cell {
  std::string text;
  std::optional<double> share = {};
  std::string spoken = {};  // words for a text that is a picture
};
Cell number(double x);  // four decimals
Cell share(double x);

struct Row {
  std::string name;
  std::vector<Cell> cells;
  bool stands_out = false;
};
struct NumberTable {
  std::vector<std::string> columns;
  std::vector<Row> rows;
  std::vector<std::string> groups = {};  // headings, each over equally many columns; or none
};

// One of several choices, by its number from 1: a word of `guess`, or what the program does next.
struct Choice {
  std::string words;
  std::vector<std::string> arguments = {};  // "learn", "journey"
  std::string asks = {};                    // prompt for an argument that is missing, "File: "; empty: none
};

class Page {
 public:
  Page(std::string name, std::string heading) : id(std::move(name)), title(std::move(heading)) {}

  template <class... A>
  void say(fmt::format_string<A...> text, A&&... args) {
    say_text(fmt::format(text, std::forward<A>(args)...));
  }
  void say_text(std::string text) { blocks_.push_back({std::move(text), {}, {}}); }
  void table(NumberTable table) { blocks_.push_back({{}, std::move(table), {}}); }
  // Adds lines unchanged, and their words for listening, which may be empty.
  void picture(std::vector<std::string> lines, std::string spoken) {
    blocks_.push_back({std::move(spoken), {}, std::move(lines)});
  }

  std::vector<Line> lines(size_t columns) const;
  // Returns the page below a heading, "3 of 12: …". Sentences fill the columns, but no more than a book's
  // page has.
  std::string plain(const std::string& heading, size_t columns) const;
  std::string spoken(const std::string& heading) const;

  std::string id, title;
  std::vector<Choice> choices;  // shown after the rest
  std::string opens;            // which number `i` opens, a phrase; empty: none
  std::vector<Page> opened;     // that number's arithmetic: one page, or none

 private:
  struct Block {
    std::string text;
    std::optional<NumberTable> table;
    std::vector<std::string> picture;
  };
  std::vector<Block> blocks_;
};

}  // namespace glassgrad::start
