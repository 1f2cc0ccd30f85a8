#include "apps/screen/scroll.h"

#include <algorithm>

namespace glassgrad {

bool Scroll::press(const Key& key, const Lines& body, size_t height) {
  using Kind = Key::Kind;
  const size_t last = last_top(body, height), page = std::max<size_t>(height, 2) - 1;
  if (key.kind == Kind::Down || key.is('j'))
    top = std::min(top + 1, last);
  else if (key.kind == Kind::Up || key.is('k'))
    top -= std::min<size_t>(top, 1);
  else if (key.kind == Kind::PageDown || key.is_control('f'))
    page_down(body, height);
  else if (key.kind == Kind::PageUp || key.is_control('b'))
    top -= std::min(top, page);
  else if (key.kind == Kind::Home)
    top = 0;
  else if (key.kind == Kind::End)
    top = last;
  else
    return false;
  return true;
}

void Scroll::page_down(const Lines& body, size_t height) {
  size_t next = top + height;
  const size_t least = top + height / 2;  // a longer part is shown in pieces
  while (next > least && next < body.size() && !body[next].empty()) --next;
  const bool is_cut = next > least && next < top + height;
  top = std::min(is_cut ? next + 1 : top + height - 1, last_top(body, height));
}

void Scroll::show(size_t line, const Lines& body, size_t height) {
  if (line < top || line >= top + height)
    top = std::min(line - std::min(line, height / 2), last_top(body, height));
}

}  // namespace glassgrad
