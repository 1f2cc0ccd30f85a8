// Which part of a long page the screen shows.
#pragma once
#include "apps/terminal/keys.h"
#include "apps/terminal/lines.h"

namespace glassgrad {

// The lines of `body` that a screen has room for `height` of, from `top` on.
class Scroll {
 public:
  size_t top = 0;

  static size_t last_top(const Lines& body, size_t height) {
    return body.size() > height ? body.size() - height : 0;
  }
  bool more_below(const Lines& body, size_t height) const { return top < last_top(body, height); }

  // Arrows, j and k, PgUp, PgDn, Home, End; false: another key.
  bool press(const Key& key, const Lines& body, size_t height);
  // On to what is not seen yet, with the beginning of what was cut off.
  void page_down(const Lines& body, size_t height);
  // As little as it takes to see the line, which then stands in the middle.
  void show(size_t line, const Lines& body, size_t height);
};

}  // namespace glassgrad
