#include "apps/terminal/typed_line.h"

#include <algorithm>

#include "apps/cli/text_width.h"
#include "engine/io/utf8.h"

namespace glassgrad {
TypedLine::State TypedLine::press(const Key& key) {
  using Kind = Key::Kind;
  if (key.kind == Kind::Enter) return State::Done;
  if (key.kind == Kind::Escape) return State::Left;
  if (key.kind == Kind::Text) {
    if (typed_.size() + key.text.size() > kMost) return State::Typing;
    typed_.insert(at_, key.text);
    at_ += key.text.size();
  } else if (key.is_control('u')) {
    typed_.clear();
    at_ = 0;
  } else if (key.kind == Kind::Backspace) {
    const size_t from = before(at_);
    typed_.erase(from, at_ - from);
    at_ = from;
  } else if (key.kind == Kind::Left) {
    at_ = before(at_);
  } else if (key.kind == Kind::Right) {
    at_ = after(at_);
  } else if (key.kind == Kind::Home || key.is_control('a')) {
    at_ = 0;
  } else if (key.kind == Kind::End || key.is_control('e')) {
    at_ = typed_.size();
  }
  return State::Typing;
}

TypedLine::Shown TypedLine::shown(size_t columns) const {
  // The words stay, and of what is typed the beginning goes out of sight as far as the cursor needs room.
  const size_t room = columns > columns_of(words_) + 1 ? columns - columns_of(words_) - 1 : 1;
  constexpr size_t kLongest = 16;  // bytes of a column: a letter and its accents
  const std::string_view line = typed_;
  size_t first = at_ - std::min(at_, room * kLongest);
  while (first < at_ && is_continuation(line[first])) ++first;
  size_t columns_before = columns_of(line.substr(first, at_ - first));
  while (first < at_ && columns_before > room) {
    const size_t next = after(first);
    columns_before -= columns_of(line.substr(first, next - first));
    first = next;
  }
  return {.text = words_ + std::string(line.substr(first, columns * kLongest)),
          .cursor = columns_of(words_) + columns_before};
}

size_t TypedLine::before(size_t at) const {
  size_t found = 0;
  for (size_t next = 0; next < at; next = after(next)) found = next;
  return found;
}

size_t TypedLine::after(size_t at) const {
  std::string_view rest = std::string_view(typed_).substr(at);
  if (!rest.empty()) take_character(rest);
  return typed_.size() - rest.size();
}

}  // namespace glassgrad
