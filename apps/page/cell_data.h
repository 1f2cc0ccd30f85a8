// An opened number of a run for the explorer's page: CELL in docs/explorer.md.
#pragma once
#include <optional>

#include "apps/ask/why/product.h"
#include "apps/ask/why/softmax.h"
#include "apps/page/cell_readers.h"
#include "apps/page/lesson_data.h"

namespace glassgrad::explorer {

class CellJson {
 public:
  // The run's recordings must outlive this object.
  explicit CellJson(const Run& run);

  // Returns {"address", "name", "what", "op", "rule", "given", "lines", "value", "exact", "from", "to",
  // "gradient"}. from: the nearest shown cells that it was computed from; to: the nearest shown cells
  // computed from it; at most kMostLinks each.
  Json of(const learn::Address& address) const;
  // The same for "STEP:TENSOR[i,j]" of either side. Throws UsageError if there is no such cell.
  Json of(std::string_view address) const;
  // Returns {"terms": [{"left", "right", "product", "sum"}], "exact", "left", "right"}: a cell of a matrix
  // product (why/product.h) term by term; for other cells, no terms. A term's left and right are {"name",
  // "address", "value", "here"}; here: the cells of the address's own step that show this number, both in a
  // matrix and in its transpose. A bias has no right. The outer left and right are the matrices that the
  // product read: {"address", "transposed", "shape": [rows, columns], "cells": texts separated by blanks,
  // null for a matrix with more than kMostCells, "lit": the cell that each term reads, counted in logical
  // order}. address: that of the first term's cell; transposed: the tensor at the address has rows and
  // columns exchanged.
  Json product_of(std::string_view address) const;
  // Returns {"terms": [{"score", "distance", "exp", "share", "here"}], "count", "own", "max", "sum",
  // "total"}: the row of a cell of a softmax (why/softmax.h); for other cells, no terms and count 0. A row
  // with more than kMostBars numbers has only its count. score: as the left of a product's term; here: the
  // cells of the address's own step that show the share; own: the position of the cell itself.
  Json softmax_of(std::string_view address) const;

  // Returns a tensor of either side, "STEP:TENSOR", and its recording. Throws UsageError if there is none.
  std::pair<const learn::Recording*, learn::Address> find_tensor(std::string_view text) const;

  static constexpr size_t kMostLinks = 100;
  static constexpr size_t kMostBars = 64;

 private:
  struct Side {
    Side(const learn::Recording& of, bool in_backward)
        : recording(of), names(of), readers(*of.trace, in_backward) {}
    const learn::Recording& recording;
    learn::CellNames names;
    CellReaders readers;
  };
  class Links;

  bool is_backward(const learn::Address& address) const;
  // Returns the side with the step of "STEP:…".
  const learn::Recording& side_of(std::string_view text) const;
  // Returns the cell's address as seen from step `here`; empty if no step shows the number.
  std::string address_of(const learn::SnapshotElement& cell, const learn::Step* here) const;
  std::string gradient_of(const learn::Address& address) const;
  // The cells of step `here` that show the number.
  static Json here(const Side& side, const learn::SnapshotElement& cell, const learn::Step& here);
  // {"name", "address", "value", "here"} of a cell that a call read.
  Json operand(const Side& side, const learn::SnapshotElement& cell, const Scalar& value,
               const learn::Step& here) const;
  // `read`: the cells of one input that the product's terms read.
  Json matrix(const Side& side, const why::Product& product, const std::vector<const ExprNode*>& read,
              const learn::Step* here) const;
  Json from(const learn::Address& address) const;
  Json to(const learn::Address& address) const;

  Run run_;
  Side forward_;
  std::optional<Side> backward_;
};

}  // namespace glassgrad::explorer
