#include "apps/stepper/cell_focus.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/ask/why/opened_cell.h"
#include "apps/show/bars.h"

namespace glassgrad::learn {
namespace {

using Kind = Key::Kind;

constexpr size_t kMargin = 2;  // for the sign before the chosen line

bool is_down(const Key& key) { return key.kind == Kind::Down || key.is('j'); }
bool is_up(const Key& key) { return key.kind == Kind::Up || key.is('k'); }
bool is_right(const Key& key) { return key.kind == Kind::Right || key.is('l'); }

// Returns the text with the first mention of the chosen operand highlighted.
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

// ---- keys
KeyTable CellFocus::step_keys() {
  static constexpr KeyRow kRows[] = {
      {"Down Up Right Left | j k l h", {}, does<&CellFocus::move>, Hint("move", 0, nullptr, "arrows")},
      {"i, Enter", "open the cell; in it, open the number that > points to", does<&CellFocus::open_here>,
       "open"},
      {"+ | =", {}, does<&CellFocus::open_product>, "product"},
      {"+  -", "add up the product that a cell is, one term more or less"},
      {"a", "a row of queries and keys as bars; Up and Down: another query", does<&CellFocus::open_bars>,
       Hint("bars", 0, when<&CellFocus::has_bars>)},
      {"e", {}, nullptr, "set it"},
      {"PgDn PgUp", "among the cells: to the next tensor, the one before", does<&CellFocus::to_tensor>},
      {"Home End", {}, does<&CellFocus::to_end_of_row>},
  };
  return kRows;
}

KeyTable CellFocus::cell_keys() {
  static constexpr KeyRow kRows[] = {
      {"Down Up Right Left | j k l h",
       {},
       does<&CellFocus::choose>,
       Hint("choose", 0, when<&CellFocus::has_operands>, "arrows")},
      {"i, Enter", {}, does<&CellFocus::open_chosen>, Hint("open", 0, when<&CellFocus::has_operands>)},
      {"+ | =", {}, does<&CellFocus::open_product>},
      {"Backspace", "close the cell that was opened last; Esc leaves the cells", does<&CellFocus::close_cell>,
       "close"},
      {"t", {}, nullptr, Hint("all digits", 1)},
  };
  return kRows;
}

KeyTable CellFocus::product_keys() {
  static constexpr KeyRow kRows[] = {
      {"+ | =", {}, does<&CellFocus::add_term>, Hint("next term", 0, when<&CellFocus::lacks_terms>)},
      {"End", {}, does<&CellFocus::add_all>, Hint("all", 2, when<&CellFocus::lacks_terms>)},
      {"-", {}, does<&CellFocus::take_back>, now<&CellFocus::take_back_hint>},
      {"Down Up Right Left | j k l h",
       {},
       does<&CellFocus::move_inside>,
       Hint("other cells", 1, nullptr, "arrows")},
      {"Backspace | Enter", {}, does<&CellFocus::close_product>, "close"},
  };
  return kRows;
}

KeyTable CellFocus::bars_keys() {
  static constexpr KeyRow kRows[] = {
      {"Up Down | j k", {}, does<&CellFocus::move_inside>, Hint("query", 0, nullptr, "Up Down")},
      {"a Backspace | Enter", {}, does<&CellFocus::close_bars>, "close"},
  };
  return kRows;
}

KeyTable CellFocus::shared_keys() {
  static constexpr KeyRow kRows[] = {
      {"Esc", {}, does<&CellFocus::leave>, Hint("back to the step", 0, when<&CellFocus::is_page>)},
      {"Tab", {}, does<&CellFocus::leave>, Hint("back", 0, unless<&CellFocus::is_open>)},
  };
  return kRows;
}

std::vector<KeyTable> CellFocus::tables() { return {step_keys(), cell_keys()}; }

void CellFocus::add_keys(std::vector<KeyLayer>& layers) {
  if (!is_on()) return;
  layers.push_back({this, product_    ? product_keys()
                          : bars_     ? bars_keys()
                          : is_open() ? cell_keys()
                                      : step_keys()});
  layers.push_back({this, shared_keys(), KeysBelow::Hidden});
}

void CellFocus::leave() {
  close_all();
  cursor_.leave();
}

void CellFocus::move(const Key& key) {
  if (is_down(key) || is_up(key))
    cursor_.along_column(is_down(key), folded_);
  else
    cursor_.along_row(is_right(key), folded_);
}

bool CellFocus::choose(const Key& key) {
  Opened& cell = opened_.back();
  const bool after = is_down(key) || is_right(key);
  if (after ? cell.chosen + 1 >= cell.operands.size() : cell.chosen == 0) return false;
  after ? ++cell.chosen : --cell.chosen;
  return true;
}

void CellFocus::open_chosen() {
  if (has_operands()) open(opened_.back().operands[opened_.back().chosen]);
}

void CellFocus::add_term() {
  if (!product_->add()) note_ = "All terms are there: this is the number in the cell.";
}

void CellFocus::take_back() {
  if (!product_->take_back()) product_.reset();
}

bool CellFocus::move_inside(const Key& key) {
  if (!opened_.empty()) return false;
  const Entry& entry = cursor_.entry();
  const Dims cell = cursor_.cell();
  move(key);
  if (&entry != &cursor_.entry()) cursor_.go_to(*step_, entry, cell);
  if (product_) open_product();
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

void CellFocus::open(SnapshotElement place) { opened_.push_back({std::move(place), {}, {}}); }

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
  if (product_) return product_->status();
  if (bars_) return "up and down: another query";
  if (!is_open()) return to_text({step_, &cursor_.entry(), cursor_.cell()});
  const Opened& cell = opened_.back();
  if (cell.operands.empty()) return "Nothing further to open here.";
  return fmt::format("i opens {}", cell.names[cell.chosen]);
}

}  // namespace glassgrad::learn
