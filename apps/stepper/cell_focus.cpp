#include "apps/stepper/cell_focus.h"

#include <fmt/format.h>

#include "apps/ask/why/opened_cell.h"

namespace glassgrad::learn {
namespace {

using Kind = Key::Kind;

constexpr size_t kMargin = 2;  // for the sign before the line of what is chosen

bool is_down(const Key& key) { return key.kind == Kind::Down || key.is('j'); }
bool is_up(const Key& key) { return key.kind == Kind::Up || key.is('k'); }
bool is_right(const Key& key) { return key.kind == Kind::Right || key.is('l'); }
bool is_left(const Key& key) { return key.kind == Kind::Left || key.is('h'); }
bool opens(const Key& key) { return key.kind == Kind::Enter || key.is('i'); }

// The text with the first mention of what is chosen standing out.
Line line_of(const why::Text& text, int chosen, bool& found) {
  Line line{{std::string(kMargin, ' ')}};
  for (const why::Piece& piece : text) {
    const bool here = !found && chosen >= 0 && piece.operand == chosen;
    if (here) line[0] = {"> ", Style::Bold};
    found = found || here;
    line.push_back({piece.text, here ? Style::Cursor : Style::Plain});
  }
  return line;
}

}  // namespace

void CellFocus::arrive(const Recording& recording, const Step& step) {
  if (recording_ != &recording || step_ != &step) names_.reset();
  recording_ = &recording;
  step_ = &step;
  opened_.clear();
  if (cursor_) cursor_.enter(step);
}

std::optional<CellFocus::Spot> CellFocus::spot() const {
  if (!cursor_) return {};
  return Spot{cursor_.entry().name, cursor_.cell()};
}

void CellFocus::replace(const Recording& recording, const Step& step, const std::optional<Spot>& spot) {
  names_.reset();
  opened_.clear();
  cursor_.leave();
  recording_ = &recording;
  step_ = &step;
  if (!spot) return;
  for (const Entry& entry : step.entries) {
    if (!entry.value || entry.name != spot->tensor || entry.value->shape().n != spot->cell.n) continue;
    bool inside = true;
    for (int d = 0; d < spot->cell.n; ++d) inside = inside && spot->cell[d] < entry.value->shape()[d];
    if (inside) return cursor_.go_to(step, entry, spot->cell);
  }
  cursor_.enter(step);
}

bool CellFocus::press(const Key& key, bool folded) {
  if (key.kind == Kind::Tab) {
    opened_.clear();
    cursor_ ? cursor_.leave() : void(cursor_.enter(*step_));
    return true;
  }
  if (!is_on()) return false;
  return is_open() ? press_in_cell(key) : press_in_step(key, folded);
}

bool CellFocus::press_in_step(const Key& key, bool folded) {
  if (is_down(key) || is_up(key))
    cursor_.along_column(is_down(key), folded);
  else if (is_right(key) || is_left(key))
    cursor_.along_row(is_right(key), folded);
  else if (key.kind == Kind::PageDown || key.kind == Kind::PageUp)
    cursor_.to_tensor(key.kind == Kind::PageDown);
  else if (key.kind == Kind::Home || key.kind == Kind::End)
    cursor_.to_end_of_row(key.kind == Kind::End);
  else if (opens(key))
    open(element_of({step_, &cursor_.entry(), cursor_.cell()}));
  else if (key.kind == Kind::Escape)
    cursor_.leave();
  else
    return false;
  return true;
}

bool CellFocus::press_in_cell(const Key& key) {
  Opened& cell = opened_.back();
  if (opens(key)) {
    if (!cell.operands.empty()) open(cell.operands[cell.chosen]);
  } else if (key.kind == Kind::Backspace) {
    opened_.pop_back();
  } else if (key.kind == Kind::Escape) {
    opened_.clear();
    cursor_.leave();
  } else if (is_down(key) || is_right(key)) {
    if (cell.chosen + 1 >= cell.operands.size()) return false;
    ++cell.chosen;
  } else if (is_up(key) || is_left(key)) {
    if (cell.chosen == 0) return false;
    --cell.chosen;
  } else {
    return false;
  }
  return true;
}

void CellFocus::open(Element place) { opened_.push_back({std::move(place), {}, {}}); }

std::vector<Line> CellFocus::lines(size_t columns, bool exact) {
  if (!names_) names_ = std::make_unique<CellNames>(*recording_);
  Opened& at = opened_.back();
  const why::OpenedCell cell =
      opened_.size() == 1 ? why::open_cell(*recording_, *names_, {step_, &cursor_.entry(), cursor_.cell()})
                          : why::open_cell(*recording_, *names_, at.place, step_);
  why::CellPage page = why::page_of(*recording_, *names_, cell, step_,
                                    {.exact = exact, .columns = columns > kMargin ? columns - kMargin : 1});
  at.operands = std::move(page.operands);
  at.names = std::move(page.names);
  std::vector<Line> lines;
  bool found = false;
  for (const why::Text& text : page.lines)
    lines.push_back(line_of(text, at.operands.empty() ? -1 : static_cast<int>(at.chosen), found));
  return lines;
}

std::string CellFocus::status() const {
  if (!is_open()) return to_text({step_, &cursor_.entry(), cursor_.cell()});
  const Opened& cell = opened_.back();
  if (cell.operands.empty()) return "Nothing further to open here.";
  return fmt::format("i opens {}", cell.names[cell.chosen]);
}

std::vector<KeyHint> CellFocus::keys() const {
  if (!is_open())
    return {{"arrows", "move"}, {"i", "open the cell"}, {"e", "set it"}, {"Tab", "back to the step"}};
  std::vector<KeyHint> keys;
  if (!opened_.back().operands.empty()) keys = {{"arrows", "choose"}, {"i", "open"}};
  keys.push_back({"Backspace", "close"});
  keys.push_back({"t", "all digits", 1});
  keys.push_back({"Esc", "back to the step"});
  return keys;
}

}  // namespace glassgrad::learn
