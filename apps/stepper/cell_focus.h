// The mode that Tab switches on in the full screen: one cell of the step is in brackets. It can be opened,
// and in it the cells that it was computed from, and so on.
#pragma once
#include <memory>

#include "apps/ask/cell_names.h"
#include "apps/screen/key_rows.h"
#include "apps/show/masked.h"
#include "apps/stepper/cell_cursor.h"
#include "apps/stepper/product_view.h"

namespace glassgrad::learn {

class CellFocus : public KeyOwner {
 public:
  // Called when the step changes.
  void arrive(const Recording& recording, const Step& step);

  // The cursor's place, to keep it when a new recording replaces this one.
  struct Spot {
    std::string tensor;
    Dims cell;
  };
  std::optional<Spot> spot() const;
  // Called when the step was computed again. The cursor stays at its spot, if the spot still exists.
  void replace(const Recording& recording, const Step& step, const std::optional<Spot>& spot);

  bool is_on() const { return bool(cursor_); }
  bool is_open() const { return depth() > 0; }
  // Returns how many pages are open inside one another: cells, a product, the bars of a row.
  size_t depth() const { return opened_.size() + product_.has_value() + bars_; }
  const CellCursor& cursor() const { return cursor_; }

  // Whether the grids fold long tensors: the cursor skips the folded cells.
  void set_folded(bool folded) { folded_ = folded; }
  void enter() { cursor_.enter(*step_); }  // to the first cell, if there is one
  void leave();
  // Opens the bars of a row of queries and keys; if no cell is chosen, of the first such tensor.
  void open_bars();

  // Adds the key tables of what is open.
  void add_keys(std::vector<KeyLayer>& layers);
  static std::vector<KeyTable> tables();
  // Returns the message about the last key, once.
  std::string take_note() { return std::exchange(note_, {}); }
  // Returns the open page; the cursor's sign marks what can be opened next.
  std::vector<Line> lines(size_t columns, size_t height, bool exact);
  // Returns the cursor's address, "masked-scores:masked[1,2]", or what may be pressed.
  std::string status() const;

 private:
  struct Opened {
    SnapshotElement place;
    std::vector<SnapshotElement> operands;
    std::vector<std::string> names;
    size_t chosen = 0;
  };
  static KeyTable step_keys();
  static KeyTable cell_keys();
  static KeyTable product_keys();
  static KeyTable bars_keys();
  static KeyTable shared_keys();
  bool is_page() const { return is_open() && !product_; }
  bool has_bars() const { return is_query_by_key(cursor_.entry()); }
  bool has_operands() const { return !opened_.back().operands.empty(); }
  bool is_begun() const { return product_->is_begun(); }
  bool lacks_terms() const { return !product_->is_whole(); }
  KeyHint take_back_hint() const { return {"-", is_begun() ? "one less" : "close"}; }

  // Keys in the step.
  void move(const Key& key);
  void to_tensor(const Key& key) { cursor_.to_tensor(key.kind == Key::Kind::PageDown); }
  void to_end_of_row(const Key& key) { cursor_.to_end_of_row(key.kind == Key::Kind::End); }
  void open_here() { open(element_of({step_, &cursor_.entry(), cursor_.cell()})); }
  // Keys in a cell. choose returns false at the end of the operands.
  bool choose(const Key& key);
  void open_chosen();
  void close_cell() { opened_.pop_back(); }
  // Keys in a product, and in bars. move_inside returns false if the product is not of the step's cell.
  void add_term();
  void add_all() { product_->add_all(); }
  void take_back();
  bool move_inside(const Key& key);
  void close_product() { product_.reset(); }
  void close_bars() { bars_ = false; }

  void open(SnapshotElement place);
  void close_all();
  void open_product();  // if it cannot, note_ says why, as in open_bars
  std::vector<Line> cell_lines(size_t columns, bool exact);
  const CellNames& names();
  why::OpenedCell cell_at_cursor();

  const Recording* recording_ = nullptr;
  const Step* step_ = nullptr;
  std::unique_ptr<CellNames> names_;  // made at the first request
  CellCursor cursor_;
  std::vector<Opened> opened_;  // the last one is shown, unless product_ or bars_ cover it
  std::optional<ProductView> product_;
  bool bars_ = false;
  std::string note_;
  bool folded_ = true;
};

}  // namespace glassgrad::learn
