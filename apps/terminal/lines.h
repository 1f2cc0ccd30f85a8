// The lines of a page. The lines of a long table are made on demand.
#pragma once
#include <functional>
#include <iterator>
#include <optional>

#include "apps/terminal/line.h"

namespace glassgrad {

// A line of a page and a column of it, from 0.
struct Place {
  size_t line = 0, column = 0;
};

class Lines {
 public:
  Lines() = default;
  Lines(std::vector<Line> lines) { append(std::move(lines)); }

  void push_back(Line line);
  void append(std::vector<Line> lines);
  // Appends `count` lines, which make(i) makes. It may be called much later, and often.
  void append(size_t count, std::function<Line(size_t)> make);
  void append(const Lines& others);

  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  Line operator[](size_t i) const;

  // Returns the first stored line that `is_it` accepts; leaves out the lines made on demand.
  std::optional<size_t> find(const std::function<bool(const Line&)>& is_it) const;

  class Iterator {
   public:
    using iterator_category = std::input_iterator_tag;
    using value_type = Line;
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = Line;

    Iterator(const Lines& lines, size_t at) : lines_(&lines), at_(at) {}
    Line operator*() const { return (*lines_)[at_]; }
    Iterator& operator++() {
      ++at_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) { return a.at_ == b.at_; }

   private:
    const Lines* lines_;
    size_t at_;
  };
  Iterator begin() const { return {*this, 0}; }
  Iterator end() const { return {*this, size_}; }

 private:
  // Stored lines, or the function that makes them.
  struct Part {
    size_t first, count;
    std::vector<Line> lines;
    std::function<Line(size_t)> make;
  };
  std::vector<Part> parts_;
  size_t size_ = 0;
};

}  // namespace glassgrad
