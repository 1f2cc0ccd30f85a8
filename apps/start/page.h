// A screen of the first ten minutes: sentences, tables and pictures, for a terminal, as plain text, and to
// listen to.
#pragma once
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "apps/terminal/line.h"

namespace glassgrad::start {

// A number of a table, with a bar behind it where it is a share.
struct Cell {
  std::string text;
  std::optional<double> share = {};
  std::string spoken = {};  // where the text is a picture
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
  std::vector<std::string> groups = {};  // what equally many columns each have in common; or none
};

// One of several things to choose, by its number from 1: a word of `guess`, or what the program goes on with.
struct Choice {
  std::string words;
  std::vector<std::string> arguments = {};  // "learn", "journey"
  std::string asks = {};  // what is still missing behind the arguments, "File: "; empty: nothing
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
  // Lines as they are, and what they say to somebody who listens; that may be empty.
  void picture(std::vector<std::string> lines, std::string spoken) {
    blocks_.push_back({std::move(spoken), {}, std::move(lines)});
  }

  std::vector<Line> lines(size_t columns) const;
  // Below a heading, "3 of 12: …"; sentences fill so many columns, and no more than a page of a book has.
  std::string plain(const std::string& heading, size_t columns) const;
  std::string spoken(const std::string& heading) const;

  std::string id, title;
  std::vector<Choice> choices;  // shown behind the rest
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
