#include "apps/stepper/code_focus.h"

namespace glassgrad::learn {

bool CodeFocus::enter(const Step& step) {
  lines_ = editable_lines(step);
  at_ = 0;
  for (size_t i = 0; i < lines_.size(); ++i)
    if (lines_[i].line() == kept_.first) at_ = i;
  return is_on();
}

void CodeFocus::move(const Key& key) {
  using Kind = Key::Kind;
  const size_t last = lines_.size() - 1;
  if (key.kind == Kind::Home)
    at_ = 0;
  else if (key.kind == Kind::End)
    at_ = last;
  else if (key.kind == Kind::Down || key.is('j'))
    at_ = std::min(at_ + 1, last);
  else
    at_ -= std::min<size_t>(at_, 1);
}

}  // namespace glassgrad::learn
