#include "apps/terminal/text_field.h"

#include <algorithm>

#include "apps/cli/text_width.h"
#include "engine/core/utf8.h"

namespace glassgrad {

TextField::TextField(const std::string& text) {
  for (size_t at = 0; at < text.size();) {
    const size_t end = std::min(text.find('\n', at), text.size());
    lines_.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  if (lines_.empty()) lines_.emplace_back();
  row_ = lines_.size() - 1;
  at_ = line().size();
  size_ = this->text().size() - 1;  // without the last line's end
}

std::string TextField::text() const {
  std::string text;
  for (const std::string& line : lines_) text += line + "\n";
  return text;
}

size_t TextField::column() const { return columns_of(std::string_view(lines_[row_]).substr(0, at_)); }

size_t TextField::before() const {
  size_t last = 0;
  for (std::string_view rest = std::string_view(lines_[row_]).substr(0, at_); !rest.empty();) {
    last = at_ - rest.size();
    take_character(rest);
  }
  return last;
}

size_t TextField::after() const {
  std::string_view rest = std::string_view(lines_[row_]).substr(at_);
  if (rest.empty()) return at_;
  return at_ + take_character(rest).bytes.size();
}

void TextField::move_to_row(size_t row) {
  const size_t column = this->column();
  row_ = row;
  at_ = 0;
  while (at_ < line().size() && this->column() < column) at_ = after();
}

namespace {

// Returns whether a line ends its block, so that the lines after it belong to the block around it.
bool ends_block(std::string_view line) {
  for (const std::string_view word : {"return", "raise", "break", "continue", "pass"})
    if (line.starts_with(word) && (line.size() == word.size() || line[word.size()] == ' ')) return true;
  return false;
}

}  // namespace

void TextField::break_line() {
  const std::string rest = line().substr(at_);
  line().resize(at_);
  size_t indent = std::min(line().find_first_not_of(' '), line().size());
  if (line().ends_with(':')) indent += 4;
  if (ends_block(std::string_view(line()).substr(indent))) indent -= std::min<size_t>(indent, 4);
  lines_.insert(lines_.begin() + std::ptrdiff_t(row_) + 1, std::string(indent, ' ') + rest);
  ++row_;
  at_ = indent;
  size_ = text().size() - 1;
}

void TextField::trim_line() {
  if (line().find_first_not_of(' ') != std::string::npos) return;
  line().clear();
  at_ = 0;
}

void TextField::type(const std::string& text) {
  constexpr size_t kMost = 64 << 10;
  if (size_ + text.size() > kMost) return;
  size_ += text.size();
  line().insert(at_, text);
  at_ += text.size();
}

void TextField::rub_out() {
  if (at_ > 0) {
    const size_t begin = before();
    line().erase(begin, at_ - begin);
    at_ = begin;
  } else if (row_ > 0) {
    const std::string rest = line();
    lines_.erase(lines_.begin() + std::ptrdiff_t(row_));
    --row_;
    at_ = line().size();
    line() += rest;
  }
  size_ = text().size() - 1;
}

bool TextField::press(const Key& key) {
  using Kind = Key::Kind;
  if (key.kind == Kind::Text) {
    type(key.text);
  } else if (key.kind == Kind::Tab) {
    type("    ");
  } else if (key.kind == Kind::Backspace) {
    rub_out();
  } else if (key.kind == Kind::Delete) {
    if (at_ < line().size())
      at_ = after();
    else if (row_ + 1 < lines_.size())
      ++row_, at_ = 0;
    else
      return true;
    rub_out();
  } else if (key.is_control('u')) {
    line().clear();
    at_ = 0;
    size_ = text().size() - 1;
  } else if (key.kind == Kind::Left) {
    at_ = before();
  } else if (key.kind == Kind::Right) {
    at_ = after();
  } else if (key.kind == Kind::Home || key.is_control('a')) {
    const size_t margin = std::min(line().find_first_not_of(' '), line().size());
    at_ = at_ == margin ? 0 : margin;
  } else if (key.kind == Kind::End || key.is_control('e')) {
    at_ = line().size();
  } else if (key.kind == Kind::Up && row_ > 0) {
    move_to_row(row_ - 1);
  } else if (key.kind == Kind::Down && row_ + 1 < lines_.size()) {
    move_to_row(row_ + 1);
  } else {
    return false;
  }
  return true;
}

// Keeps the words, and hides as much of the beginning of the typed text as the cursor needs.
TextField::Shown TextField::shown(const std::string& words, size_t columns) const {
  const size_t room = columns > columns_of(words) + 1 ? columns - columns_of(words) - 1 : 1;
  constexpr size_t kLongest = 16;  // bytes of a column: a letter and its accents
  const std::string_view line = lines_[row_];
  size_t first = at_ - std::min(at_, room * kLongest);
  while (first < at_ && is_continuation(line[first])) ++first;
  size_t columns_before = columns_of(line.substr(first, at_ - first));
  while (first < at_ && columns_before > room) {
    std::string_view rest = line.substr(first);
    const std::string_view letter = take_character(rest).bytes;
    columns_before -= columns_of(letter);
    first += letter.size();
  }
  return {.text = words + std::string(line.substr(first, columns * kLongest)),
          .cursor = columns_of(words) + columns_before};
}

}  // namespace glassgrad
