#include "apps/stepper/cell_focus.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/ask/why/opened_cell.h"
#include "apps/show/bars.h"

namespace glassgrad::learn {
namespace {

using Kind = Key::Kind;

constexpr size_t kMargin = 2;  // for the sign before the line of what is chosen

bool is_down(const Key& key) { return key.kind == Kind::Down || key.is('j'); }
bool is_up(const Key& key) { return key.kind == Kind::Up || key.is('k'); }
bool is_right(const Key& key) { return key.kind == Kind::Right || key.is('l'); }
bool is_left(const Key& key) { return key.kind == Kind::Left || key.is('h'); }
bool adds(const Key& key) { return key.is('+') || key.is('='); }  // the same key of most keyboards
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
  close_all();
  if (cursor_) cursor_.enter(step);
}

std::optional<CellFocus::Spot> CellFocus::spot() const {
  if (!cursor_) return {};
  return Spot{cursor_.entry().name, cursor_.cell()};
}

void CellFocus::replace(const Recording& recording, const Step& step, const std::optional<Spot>& spot) {
  names_.reset();
  close_all();
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
  note_.clear();
  if (key.kind == Kind::Tab) {
    close_all();
    cursor_ ? cursor_.leave() : void(cursor_.enter(*step_));
    return true;
  }
  if (key.is('a') && !is_open()) {
    open_bars();
    return is_on();
  }
  if (!is_on()) return false;
  if (product_) return press_in_product(key, folded);
  if (bars_) return press_in_bars(key, folded);
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
  else if (adds(key))
    open_product();
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
  } else if (adds(key)) {
    open_product();
  } else if (key.kind == Kind::Backspace) {
    opened_.pop_back();
  } else if (key.kind == Kind::Escape) {
    close_all();
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

bool CellFocus::press_in_product(const Key& key, bool folded) {
  const size_t before = opened_.size();
  if (adds(key)) {
    if (!product_->add()) note_ = "All terms are there: this is the number in the cell.";
  } else if (key.kind == Kind::End) {
    product_->add_all();
  } else if (key.is('-')) {
    if (!product_->take_back()) product_.reset();
  } else if (key.kind == Kind::Backspace) {
    product_.reset();
  } else if (key.kind == Kind::Escape) {
    close_all();
    cursor_.leave();
  } else if (before == 0 && (is_down(key) || is_up(key) || is_right(key) || is_left(key))) {
    const Spot was{cursor_.entry().name, cursor_.cell()};
    const Entry& entry = cursor_.entry();
    press_in_step(key, folded);
    if (&entry != &cursor_.entry()) cursor_.go_to(*step_, entry, was.cell);
    open_product();
  } else {
    return false;
  }
  return true;
}

bool CellFocus::press_in_bars(const Key& key, bool folded) {
  if (is_down(key) || is_up(key)) {
    const Entry& entry = cursor_.entry();
    const Dims cell = cursor_.cell();
    cursor_.along_column(is_down(key), folded);
    if (&entry != &cursor_.entry()) cursor_.go_to(*step_, entry, cell);
  } else if (key.is('a') || key.kind == Kind::Backspace) {
    bars_ = false;
  } else if (key.kind == Kind::Escape) {
    close_all();
    cursor_.leave();
  } else {
    return false;
  }
  return true;
}

void CellFocus::open_product() {
  why::OpenedCell cell =
      opened_.empty() ? cell_at_cursor() : why::open_cell(*recording_, names(), opened_.back().place, step_);
  std::optional<why::Product> product = why::product_of(*recording_, cell);
  if (const auto source = product ? std::nullopt : why::copied_from(names(), cell)) {
    cell = why::open_cell(*recording_, names(), *source, step_);
    product = why::product_of(*recording_, cell);
  }
  if (!product) {
    product_.reset();
    note_ = "This number is no row times a column; i opens it.";
    return;
  }
  product_.emplace(*recording_, names(), std::move(cell), std::move(*product), step_);
}

void CellFocus::open_bars() {
  const auto has_bars = [](const Entry& e) { return is_query_by_key(e) && e.value->numel() > 0; };
  if (cursor_ && !has_bars(cursor_.entry())) {
    note_ = "This tensor has no queries and keys.";
    return;
  }
  if (!cursor_) {
    const auto found = std::find_if(step_->entries.begin(), step_->entries.end(), has_bars);
    if (found == step_->entries.end()) return;
    Dims first;
    for (int d = 0; d < found->value->shape().n; ++d) first.push(0);
    cursor_.go_to(*step_, *found, first);
  }
  bars_ = true;
}

void CellFocus::close_all() {
  opened_.clear();
  product_.reset();
  bars_ = false;
}

void CellFocus::open(Element place) { opened_.push_back({std::move(place), {}, {}}); }

const CellNames& CellFocus::names() {
  if (!names_) names_ = std::make_unique<CellNames>(*recording_);
  return *names_;
}

why::OpenedCell CellFocus::cell_at_cursor() {
  return why::open_cell(*recording_, names(), {step_, &cursor_.entry(), cursor_.cell()});
}

std::vector<Line> CellFocus::lines(size_t columns, size_t height, bool exact) {
  if (product_) return product_->lines(columns, height, exact);
  if (bars_) return bars(*recording_, cursor_.entry(), cursor_.cell(), columns);
  return cell_lines(columns, exact);
}

std::vector<Line> CellFocus::cell_lines(size_t columns, bool exact) {
  Opened& at = opened_.back();
  const why::OpenedCell cell =
      opened_.size() == 1 ? cell_at_cursor() : why::open_cell(*recording_, names(), at.place, step_);
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
  if (!note_.empty()) return note_;
  if (product_) return product_->status();
  if (bars_) return "up and down: another query";
  if (!is_open()) return to_text({step_, &cursor_.entry(), cursor_.cell()});
  const Opened& cell = opened_.back();
  if (cell.operands.empty()) return "Nothing further to open here.";
  return fmt::format("i opens {}", cell.names[cell.chosen]);
}

std::vector<KeyHint> CellFocus::keys() const {
  if (product_) return product_->keys();
  if (bars_) return {{"Up Down", "query"}, {"a", "close"}, {"Esc", "back to the step"}};
  std::vector<KeyHint> keys;
  if (!is_open()) {
    keys = {{"arrows", "move"}, {"i", "open"}, {"+", "product"}};
    if (is_query_by_key(cursor_.entry())) keys.push_back({"a", "bars"});
    keys.insert(keys.end(), {{"e", "set it"}, {"Tab", "back"}});
    return keys;
  }
  if (!opened_.back().operands.empty()) keys = {{"arrows", "choose"}, {"i", "open"}};
  keys.push_back({"Backspace", "close"});
  keys.push_back({"t", "all digits", 1});
  keys.push_back({"Esc", "back to the step"});
  return keys;
}

}  // namespace glassgrad::learn
