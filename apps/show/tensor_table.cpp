#include "apps/show/tensor_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "apps/lesson/axes.h"
#include "apps/lesson/difference.h"
#include "apps/lesson/phrases.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

Axis axis(const Recording& recording, const Entry& entry, int dim) {
  return {.word = entry.axes.empty() ? "" : entry.axes[size_t(dim)],
          .labels = labels(recording, entry, dim),
          .tokens = named_by_tokens(recording, entry, dim)};
}

// The positions in memory of the lowest and the highest finite element.
struct Extremes {
  int64_t low = -1, high = -1;
};

constexpr int64_t kBlock = 256;

// True if there is a finite number below `low` or above `high`. Has no branches, because a key press may wait
// for millions of numbers.
template <class T>
bool has_beyond(const T* block, T low, T high) {
  using Limits = std::numeric_limits<T>;
  int beyond = 0;
  for (int64_t i = 0; i < kBlock; ++i)
    beyond |= (int(block[i] < low) & int(block[i] >= Limits::lowest())) |
              (int(block[i] > high) & int(block[i] <= Limits::max()));
  return beyond != 0;
}

template <class T>
void find_extremes_of_row(const T* data, int64_t at, int64_t size, int64_t stride, Extremes& found) {
  for (int64_t i = 0; i < size; ++i, at += stride) {
    if constexpr (std::is_arithmetic_v<T>) {
      const bool whole = stride == 1 && i % kBlock == 0 && size - i >= kBlock && found.low >= 0;
      if (whole && !has_beyond(data + at, data[found.low], data[found.high])) {
        i += kBlock - 1, at += kBlock - 1;
        continue;
      }
    }
    if (!std::isfinite(static_cast<double>(data[at]))) continue;
    if (found.low < 0 || data[at] < data[found.low]) found.low = at;
    if (found.high < 0 || data[at] > data[found.high]) found.high = at;
  }
}

template <class T>
void find_extremes(const View& x, int dim, int64_t at, Extremes& found) {
  const int last = x.shape.n - 1;
  if (dim >= last)
    return find_extremes_of_row(x.as<T>(), at, last < 0 ? 1 : x.shape[last], last < 0 ? 0 : x.strides[last],
                                found);
  for (int64_t i = 0; i < x.shape[dim]; ++i) find_extremes<T>(x, dim + 1, at + i * x.strides[dim], found);
}

}  // namespace

TensorTable::TensorTable(const Recording& recording, const Entry& entry)
    : x_(entry.value->tensor()),
      masked_(recording, entry),
      changed_(entry.changed),
      write_(element_writer(x_.raw())) {
  const int dims = x_.shape().n;
  for (int d = 0; d + 2 < dims; ++d) before_.push_back(axis(recording, entry, d));
  if (dims >= 2) {
    rows_ = axis(recording, entry, dims - 2);
    row_count_ = x_.shape()[dims - 2];
    row_stride_ = x_.strides()[dims - 2];
  }
  if (dims >= 1) {
    columns_ = axis(recording, entry, dims - 1);
    column_count_ = x_.shape()[dims - 1];
    column_stride_ = x_.strides()[dims - 1];
  }
  Extremes found;
  every_type(x_.dtype(), [&](auto zero) { find_extremes<decltype(zero)>(x_.raw(), 0, 0, found); });
  if (found.low >= 0) width_ = std::max(write_(found.low).size(), write_(found.high).size());
  if (!is_floating(x_.dtype()) || dims == 0) return;
  if (found.low >= 0) largest_ = std::max(std::abs(number(found.low)), std::abs(number(found.high)));
  if (entry.row_sums) sums_ = sum(x_, {-1}).flatten();
}

TensorTable::Slice TensorTable::inside(Slice slice, size_t axis, int64_t index) const {
  const auto dim = static_cast<int64_t>(axis);
  return {slice.offset + index * x_.strides()[dim], slice.number * x_.shape()[dim] + index};
}

std::string TensorTable::text(Slice slice, int64_t row, int64_t column) const {
  return write_(at(slice, row, column));
}

double TensorTable::number(int64_t at) const {
  const View x = x_.raw();
  double value = 0;
  every_float(x.dtype, [&](auto zero) { value = double(x.as<decltype(zero)>()[at]); });
  return value;
}

int TensorTable::heat(Slice slice, int64_t row, int64_t column) const {
  if (!has_heat() || !std::isfinite(number(at(slice, row, column)))) return -1;
  return std::min(static_cast<int>(share(slice, row, column) * 5), 4);
}

double TensorTable::share(Slice slice, int64_t row, int64_t column) const {
  if (!has_heat()) return 0;
  const double value = std::abs(number(at(slice, row, column)));
  return std::isfinite(value) ? value / largest_ : 0;
}

int TensorTable::sign(Slice slice, int64_t row, int64_t column) const {
  if (!is_floating(x_.dtype())) return 0;
  const double value = number(at(slice, row, column));
  return (value > 0) - (value < 0);
}

bool TensorTable::masked(Slice slice, int64_t row, int64_t column) const {
  if (!masked_.is_possible()) return false;
  const double value = number(at(slice, row, column));
  if (value != 0 && !std::isinf(value)) return false;  // true for most cells
  return masked_.at(index_of(x_.shape(), (slice.number * row_count_ + row) * column_count_ + column));
}

bool TensorTable::same(Slice a, Slice b) const {
  const View x = x_.raw();
  const auto size = static_cast<size_t>(item_size(x.dtype));
  const auto* bytes = static_cast<const std::byte*>(x.data);
  for (int64_t row = 0; row < row_count_; ++row)
    for (int64_t column = 0; column < column_count_; ++column)
      if (std::memcmp(bytes + size_t(at(a, row, column)) * size, bytes + size_t(at(b, row, column)) * size,
                      size) != 0)
        return false;
  return true;
}

bool TensorTable::same_inside(Slice slice, size_t axis, int64_t a, int64_t b) const {
  const std::function<bool(Slice, Slice, size_t)> same_from = [&](Slice one, Slice other, size_t from) {
    if (from == before_.size()) return same(one, other);
    for (int64_t i = 0; i < std::ssize(before_[from].labels); ++i)
      if (!same_from(inside(one, from, i), inside(other, from, i), from + 1)) return false;
    return true;
  };
  return same_from(inside(slice, axis, a), inside(slice, axis, b), axis + 1);
}

std::string TensorTable::row_sum(Slice slice, int64_t row) const {
  return digits(sums_[slice.number * row_count_ + row]);
}

bool TensorTable::changed(Slice slice, int64_t row, int64_t column) const {
  return changed_ && changed_->cells[size_t((slice.number * row_count_ + row) * column_count_ + column)];
}

std::string index_name(const Axis& axis, int64_t i) {
  const std::string& label = axis.labels[size_t(i)];
  if (axis.tokens) return fmt::format("{} {}", axis.word, in_quotes(label));
  if (axis.word.empty()) return fmt::format("index {}", label);
  return label.starts_with(axis.word) ? label : fmt::format("{} {}", axis.word, label);
}

std::vector<int64_t> shown_indices(int64_t size, bool folded) {
  constexpr int64_t kEdge = 3;
  std::vector<int64_t> shown;
  for (int64_t i = 0; i < size; ++i) {
    if (folded && size >= kFoldedFrom && i == kEdge) shown.push_back(kGap), i = size - kEdge;
    shown.push_back(i);
  }
  return shown;
}

std::vector<double> values_of_steps(const Entry& entry) {
  if (!entry.value || entry.axes != std::vector<std::string>{"step"} || entry.value->numel() < kFoldedFrom)
    return {};
  const Tensor x = to(entry.value->tensor(), float64);
  std::vector<double> values(static_cast<size_t>(x.numel()));
  for (int64_t i = 0; i < x.numel(); ++i) values[static_cast<size_t>(i)] = to_double(element(x, Dims{i}));
  return values;
}

std::vector<int64_t> shown_indices(const Entry& entry, int dim, bool folded) {
  const Dims& shape = entry.value->shape();
  const bool is_batch = dim + 2 < shape.n && !entry.axes.empty() && entry.axes[size_t(dim)] == kBatch;
  if (is_batch && folded && shape[dim] > 1) return {0, kGap};
  return shown_indices(shape[dim], folded);
}

}  // namespace glassgrad::learn
