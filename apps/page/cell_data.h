// One number of a run as the explorer's page has it, opened: CELL in docs/explorer.md.
#pragma once
#include <optional>

#include "apps/page/lesson_data.h"
#include "apps/page/uses.h"

namespace glassgrad::explorer {

class Cells {
 public:
  // The run's recordings outlive it.
  explicit Cells(const Run& run);

  // {"address", "name", "what", "op", "rule", "given", "lines", "value", "exact", "from", "to", "gradient"}.
  // from, to: the nearest cells before and after it that a step shows, at most kMostLinks of them.
  Json of(const learn::Address& address) const;
  // "STEP:TENSOR[i,j]" of either side. UsageError: there is no such cell.
  Json of(std::string_view address) const;
  // {"terms": [{"left", "right", "product", "sum"}], "exact"}, left and right {"name", "address", "value"}: a
  // cell of a matrix product (why/product.h) term by term. Of a bias there is no right; of other cells no
  // term.
  Json product_of(std::string_view address) const;

  // A tensor of either side, "STEP:TENSOR", and where it belongs to. UsageError: there is none.
  std::pair<const learn::Recording*, learn::Address> find_tensor(std::string_view text) const;

  static constexpr size_t kMostLinks = 100;

 private:
  struct Side {
    Side(const learn::Recording& of, bool in_backward)
        : recording(of), names(of), uses(*of.trace, in_backward) {}
    const learn::Recording& recording;
    learn::CellNames names;
    Uses uses;
  };
  class Links;

  bool is_backward(const learn::Address& address) const;
  // The side that has the step of "STEP:…".
  const learn::Recording& side_of(std::string_view text) const;
  // As seen from a step; empty: no step shows the number.
  std::string address_of(const learn::Element& cell, const learn::Step* here) const;
  std::string gradient_of(const learn::Address& address) const;
  Json from(const learn::Address& address) const;
  Json to(const learn::Address& address) const;

  Run run_;
  Side forward_;
  std::optional<Side> backward_;
};

}  // namespace glassgrad::explorer
