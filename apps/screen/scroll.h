// The part of a long page that the screen shows.
#pragma once
#include "apps/terminal/keys.h"
#include "apps/terminal/lines.h"

namespace glassgrad {

// The lines of `body` that are visible: `height` lines from `top` on.
class Scroll {
 public:
  size_t top = 0;

  static size_t last_top(const Lines& body, size_t height) {
    return body.size() > height ? body.size() - height : 0;
  }
  bool more_below(const Lines& body, size_t height) const { return top < last_top(body, height); }

  // Handles arrows, j and k, PgUp, PgDn, Home, End. Returns false for any other key.
  bool press(const Key& key, const Lines& body, size_t height);
  // Scrolls to what was not visible yet, and repeats the beginning of a part that was cut off.
  void page_down(const Lines& body, size_t height);
  // Scrolls only if the line is not visible; the line is then in the middle.
  void show(size_t line, const Lines& body, size_t height);
};

}  // namespace glassgrad
