#include "apps/terminal/typed_line.h"

#include "apps/cli/text_width.h"

namespace glassgrad {

TypedLine::State TypedLine::press(const Key& key) {
  using Kind = Key::Kind;
  if (key.kind == Kind::Enter) return State::Done;
  if (key.kind == Kind::Escape || (key.kind == Kind::Backspace && typed_.empty())) return State::Left;
  if (key.kind == Kind::Text)
    typed_ += key.text;
  else if (key.is_control('u'))
    typed_.clear();
  else if (key.kind == Kind::Backspace)
    drop_last_character();
  return State::Typing;
}

void TypedLine::drop_last_character() {
  std::string_view rest = typed_;
  size_t last = 0;
  while (!rest.empty()) {
    last = typed_.size() - rest.size();
    take_character(rest);
  }
  typed_.resize(last);
}

}  // namespace glassgrad
