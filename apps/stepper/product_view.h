// A cell of a matrix product in the full screen: its row and its column beside the result, and the sum, which
// grows by one term per key.
#pragma once
#include "apps/ask/why/product.h"
#include "apps/terminal/lines.h"

namespace glassgrad::learn {

class ProductView {
 public:
  // Shows the cell as seen from the step `here`. The recording and the names must outlive this object.
  ProductView(const Recording& recording, const CellNames& names, why::OpenedCell cell, why::Product product,
              const Step* here);

  // Add or remove one term. Return false if all terms are added, or none is.
  bool add();
  bool take_back();
  void add_all() { shown_ = product_.terms.size(); }

  std::vector<Line> lines(size_t columns, size_t height, bool exact) const;
  std::string status() const;
  bool is_begun() const { return shown_ > 0; }
  bool is_whole() const { return shown_ == product_.terms.size(); }

 private:
  // A matrix of the call, as the product reads it.
  struct Matrix {
    Tensor x;
    Dims at;                    // an element of x
    int down = -1, along = -1;  // its dimensions for rows and columns; -1: there is none
    std::string name;
    std::vector<std::string> down_labels, along_labels;
    std::function<std::string(int64_t)> write;

    int64_t rows() const { return down < 0 ? 1 : x.shape()[down]; }
    int64_t columns() const { return along < 0 ? 1 : x.shape()[along]; }
    int64_t row() const { return down < 0 ? 0 : at[down]; }
    int64_t column() const { return along < 0 ? 0 : at[along]; }
    std::string text(int64_t row, int64_t column) const;
  };
  // The part of the matrices that is shown, and the widths of names and cells.
  struct Window {
    int64_t first_row, rows, first_column, columns, first_term, terms;
    size_t name, cell;
  };

  Matrix matrix(const Snapshot& x, const Dims& at, int down, int along) const;
  size_t product_count() const { return product_.terms.size() - product_.has_bias; }
  Window window(size_t columns, size_t height) const;
  void add_pictures(std::vector<Line>& lines, const Window& w, bool exact) const;
  std::vector<Line> terms(size_t columns, size_t most, bool exact) const;
  Span number(const Matrix& m, int64_t row, int64_t column, bool lit, bool now, size_t width) const;
  std::string called(const ExprNode& cell) const;
  std::string so_far(bool exact) const;

  const CellNames& names_;
  const Step* here_;
  why::OpenedCell cell_;
  why::Product product_;
  Matrix left_, right_, result_;
  size_t shown_ = 0;
};

}  // namespace glassgrad::learn
