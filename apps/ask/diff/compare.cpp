#include "apps/ask/diff/compare.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/autograd.h"
#include "engine/ops.h"

namespace glassgrad::diff {
namespace {

constexpr int64_t kLargeTensor = 100'000;

Dims without_ones_in_front(const Dims& shape) {
  Dims rest;
  for (const int64_t n : shape)
    if (rest.n > 0 || n != 1) rest.push(n);
  return rest;
}
// Returns the shape in which the cells of both can be compared. If only one has a batch in front, that is the
// shape of the batch. Returns none if the other dimensions differ.
std::optional<Dims> common_shape(const Tensor& left, const Tensor& right) {
  const Dims a = without_ones_in_front(left.shape()), b = without_ones_in_front(right.shape());
  const Dims &longer = a.n > b.n ? a : b, &shorter = a.n > b.n ? b : a;
  if (longer.n > shorter.n + (shorter.n >= 2)) return {};
  const int batch = longer.n - shorter.n;
  if (!std::equal(shorter.begin(), shorter.end(), longer.begin() + batch)) return {};
  return longer;
}

// Returns the elements, expanded to that shape, in row-major order.
std::vector<double> numbers(const Tensor& x, const Dims& shape) {
  const Tensor cells = to(x, float64).contiguous().view(without_ones_in_front(x.shape()));
  return cells.expand(shape).contiguous().to_vector<double>();
}

double distance(double a, double b) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return 0;
  const double d = std::abs(a - b);
  return std::isnan(d) ? std::numeric_limits<double>::infinity() : d;
}

std::string_view first_word(std::string_view step) { return step.substr(0, step.find('-')); }

// Rates how well two values match; 0: not at all.
int likeness(const Value& a, const Value& b) {
  const bool same_place = a.step == b.step && a.name == b.name;
  if (!same_place && a.meaning != b.meaning) return 0;
  const bool same_word = first_word(a.step) == first_word(b.step);
  const bool same_rank = without_ones_in_front(a.x.shape()).n == without_ones_in_front(b.x.shape()).n;
  int points = 4 * same_place + 2 * same_word + same_rank;
  if (!common_shape(a.x, b.x)) return points;
  points += 2;
  if (a.x.numel() <= kLargeTensor && difference(a.x, b.x).kind <= Difference::Kind::Rounding) ++points;
  return points;
}

}  // namespace

Dims cell_of(const Tensor& x, const Dims& cell) {
  Dims own;
  const Dims& shape = x.shape();
  for (int d = 0; d < shape.n; ++d) {
    const int at = d + cell.n - shape.n;
    own.push(at < 0 ? 0 : cell[at]);
  }
  return own;
}

Dims cell_at(const Dims& shape, int64_t place) {
  Dims cell = shape;
  for (int d = shape.n; d-- > 0;) {
    cell[d] = place % shape[d];
    place /= shape[d];
  }
  return cell;
}

std::optional<ComparedCells> cells_of(const Tensor& left, const Tensor& right) {
  const std::optional<Dims> shape = common_shape(left, right);
  if (!shape) return {};
  const NoGrad no_grad;
  ComparedCells cells{
      .shape = *shape, .left = numbers(left, *shape), .right = numbers(right, *shape), .differ = {}};
  double largest_value = 0;
  for (const auto* side : {&cells.left, &cells.right})
    for (const double v : *side)
      if (std::isfinite(v)) largest_value = std::max(largest_value, std::abs(v));
  cells.differ.resize(cells.left.size());
  for (size_t i = 0; i < cells.left.size(); ++i) {
    const double d = distance(cells.left[i], cells.right[i]);
    cells.largest = std::max(cells.largest, d);
    if (!(d > kRounding * largest_value)) continue;
    if (cells.count++ == 0) cells.first = i;
    cells.differ[i] = true;
  }
  return cells;
}

Difference difference(const Tensor& left, const Tensor& right) {
  Difference found;
  const std::optional<ComparedCells> cells = cells_of(left, right);
  if (!cells) {
    found.kind = Difference::Kind::Shapes;
    return found;
  }
  found.largest = cells->largest;
  if (cells->count > 0) {
    found.kind = Difference::Kind::Cells;
    const Dims cell = cell_at(cells->shape, int64_t(cells->first));
    found.left_cell = cell_of(left, cell);
    found.right_cell = cell_of(right, cell);
    found.left = cells->left[cells->first];
    found.right = cells->right[cells->first];
  } else if (found.largest > 0) {
    found.kind = Difference::Kind::Rounding;
  }
  return found;
}

// Finds the common subsequence with the highest sum of likeness.
std::vector<Pair> aligned(const Side& left, const Side& right) {
  const size_t n = left.values.size(), m = right.values.size();
  std::vector<std::vector<int>> points(n, std::vector<int>(m)), best(n + 1, std::vector<int>(m + 1, 0));
  for (size_t i = n; i-- > 0;)
    for (size_t j = m; j-- > 0;) {
      points[i][j] = likeness(left.values[i], right.values[j]);
      best[i][j] = std::max({best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + points[i][j]});
    }
  std::vector<Pair> pairs;
  for (size_t i = 0, j = 0; i < n && j < m;) {
    if (points[i][j] > 0 && best[i][j] == best[i + 1][j + 1] + points[i][j])
      pairs.push_back({i++, j++});
    else if (best[i][j] == best[i + 1][j])
      ++i;
    else
      ++j;
  }
  return pairs;
}

}  // namespace glassgrad::diff
