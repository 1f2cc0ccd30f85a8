// What Tab switches on in the full screen: a cell of the step in brackets, which can be opened, and in it the
// cells it was computed from in turn.
#pragma once
#include <memory>

#include "apps/ask/cell_names.h"
#include "apps/stepper/cell_cursor.h"
#include "apps/stepper/product_view.h"
#include "apps/stepper/screen.h"
#include "apps/terminal/keys.h"

namespace glassgrad::learn {

class CellFocus {
 public:
  // The step is another one: of the recording that was opened last.
  void arrive(const Recording& recording, const Step& step);

  // Where the cursor is, for a recording that takes this one's place.
  struct Spot {
    std::string tensor;
    Dims cell;
  };
  std::optional<Spot> spot() const;
  // The step was computed anew: the cursor stays at its spot, if there still is one.
  void replace(const Recording& recording, const Step& step, const std::optional<Spot>& spot);

  bool is_on() const { return bool(cursor_); }
  bool is_open() const { return depth() > 0; }
  // Of pages that are open in one another: cells, a product, the bars of a row.
  size_t depth() const { return opened_.size() + product_.has_value() + bars_; }
  const CellCursor& cursor() const { return cursor_; }

  // false: the key means nothing here. `folded`: what the grids show.
  bool press(const Key& key, bool folded);
  // What is open, as a page; what can be opened next stands behind the cursor's sign.
  std::vector<Line> lines(size_t columns, size_t height, bool exact);
  // "journey: masked-scores:masked[1,2]", and what may be pressed.
  std::string status() const;
  std::vector<KeyHint> keys() const;

 private:
  struct Opened {
    Element place;
    std::vector<Element> operands;
    std::vector<std::string> names;
    size_t chosen = 0;
  };
  bool press_in_step(const Key& key, bool folded);
  bool press_in_cell(const Key& key);
  void open(Element place);
  void close_all();
  bool press_in_product(const Key& key, bool folded);
  bool press_in_bars(const Key& key, bool folded);
  // Both say in note_ why they cannot.
  void open_product();
  void open_bars();
  std::vector<Line> cell_lines(size_t columns, bool exact);
  const CellNames& names();
  why::OpenedCell cell_at_cursor();

  const Recording* recording_ = nullptr;
  const Step* step_ = nullptr;
  std::unique_ptr<CellNames> names_;  // made when they are first asked for
  CellCursor cursor_;
  std::vector<Opened> opened_;  // the last one is seen, but under
  std::optional<ProductView> product_;
  bool bars_ = false;
  std::string note_;  // what there is to say about the last key
};

}  // namespace glassgrad::learn
