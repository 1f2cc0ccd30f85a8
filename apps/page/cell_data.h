// One number of a run as the explorer's page has it, opened: CELL in docs/explorer.md.
#pragma once
#include <optional>

#include "apps/ask/why/product.h"
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
  // {"terms": [{"left", "right", "product", "sum"}], "exact", "left", "right"}: a cell of a matrix product
  // (why/product.h) term by term. A term's left and right are {"name", "address", "value", "here"}; here: the
  // cells that the address's own step shows of that number, in a matrix and in its transpose both. A bias has
  // no right. The left and right beside the terms are the matrices that the product read:
  // {"address", "transposed", "shape": [rows, columns], "cells": texts with blanks between them, null of a
  // matrix with more than kMostCells, "lit": which cell, in logical order, each term reads}. address: of the
  // first term's cell; transposed: the tensor there has it the other way round. Of other cells no term.
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
  // `read`: the cells of one input that the product's terms read.
  Json matrix(const Side& side, const why::Product& product, const std::vector<const Term*>& read,
              const learn::Step* here) const;
  Json from(const learn::Address& address) const;
  Json to(const learn::Address& address) const;

  Run run_;
  Side forward_;
  std::optional<Side> backward_;
};

}  // namespace glassgrad::explorer
