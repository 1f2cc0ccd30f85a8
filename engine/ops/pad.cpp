// pad: a tensor with a constant around it.
#include <algorithm>

#include "../glass/why.h"
#include "../ops.h"
#include "dims.h"
#include "layout.h"
#include "promote.h"

namespace glassgrad {
namespace {

struct Padded {
  Dims widths;  // before and after, the last dimension first
  double value;
  int64_t before(int64_t d, int64_t n) const {
    return 2 * (n - 1 - d) < widths.n ? widths[2 * (n - 1 - d)] : 0;
  }
  int64_t after(int64_t d, int64_t n) const {
    return 2 * (n - 1 - d) < widths.n ? widths[2 * (n - 1 - d) + 1] : 0;
  }
  static constexpr AttrNames kNames{"pad", "value"};
};

Expr why_padded(const Cell& c) {
  const auto& a = c.attr<Padded>();
  Dims place = c.index;
  bool inside = true;
  for (int d = 0; d < place.n; ++d) {
    place[d] -= a.before(d, place.n);
    inside = inside && place[d] >= 0 && place[d] < c.input(0).shape()[d];
  }
  return inside ? c.in(0, place) : number(c.value());
}

constexpr Op pad_op{"constant_pad_nd", "ConstantPadNdBackward0", "inside ? x[i − before, …] : value",
                    why_padded};

Dims padded_shape(const Tensor& x, const Padded& a) {
  const int64_t n = x.dim();
  check(a.widths.n % 2 == 0, "Padding length must be divisible by 2");
  check(
      a.widths.n <= 2 * n,
      "Padding length should be less than or equal to two times the input dimension but got padding length {} and "
      "input of dimension {}",
      a.widths.n, n);
  Dims shape = x.shape();
  for (int64_t d = 0; d < n; ++d) {
    const int64_t before = a.before(d, n), after = a.after(d, n);
    int64_t least = 0, size = 0;  // least: after the negative widths; size: after all widths
    const bool fits = !__builtin_add_overflow(shape[d], std::min<int64_t>(before, 0), &least) &&
                      !__builtin_add_overflow(least, std::min<int64_t>(after, 0), &least) &&
                      !__builtin_add_overflow(least, std::max<int64_t>(before, 0), &size) &&
                      !__builtin_add_overflow(size, std::max<int64_t>(after, 0), &size);
    check(
        fits && before != INT64_MIN && after != INT64_MIN,
        "The input size {}, plus negative padding {} and {} resulted in a negative output size, which is invalid. "
        "Check dimension {} of your input.",
        shape[d], before, after, d);
    check(least >= 0, "narrow(): length must be non-negative.");
    shape[d] = size;
  }
  return shape;
}

}  // namespace

Tensor pad(const Tensor& x, const Dims& widths, double value) {
  const Padded a{widths, value};
  const int64_t n = x.dim();
  Tensor y = dense_result(padded_shape(x, a), x);
  {
    const NoRecording no_recording;
    fill_(y, value);
  }
  Dims kept = x.shape();  // the shape of the part of x that the result keeps
  int64_t from = 0, to = 0;
  for (int64_t d = 0; d < n; ++d) {
    const int64_t before = a.before(d, n), cut = std::max<int64_t>(-before, 0);
    kept[d] = std::max<int64_t>(std::min(x.shape()[d] - cut, y.shape()[d] - std::max<int64_t>(before, 0)), 0);
    from += cut * x.strides()[d];
    to += std::max<int64_t>(before, 0) * y.strides()[d];
  }
  if (kept.numel() > 0) assign(part(y, to, kept, y.strides()), part(x, from, kept, x.strides()));
  return record(pad_op, y, {&x}, {}, a, [](BackwardContext& d, const Padded& p) {
    Dims back = p.widths;
    for (int i = 0; i < back.n; ++i) back[i] = -back[i];
    d[0] = pad(d.g, back);
  });
}

}  // namespace glassgrad
