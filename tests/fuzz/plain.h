// A second, very simple engine for the fuzzer to compare with: dual numbers, which carry their derivative
// along one direction, and tensors that list the places of their elements. Views list places of the same
// numbers.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

namespace plain {

struct DualNumber {
  double value = 0, slope = 0;
};
inline DualNumber operator+(DualNumber a, DualNumber b) { return {a.value + b.value, a.slope + b.slope}; }
inline DualNumber operator-(DualNumber a, DualNumber b) { return {a.value - b.value, a.slope - b.slope}; }
inline DualNumber operator*(DualNumber a, DualNumber b) {
  return {a.value * b.value, a.slope * b.value + a.value * b.slope};
}
inline DualNumber operator/(DualNumber a, DualNumber b) {
  const double y = a.value / b.value;
  return {y, (a.slope - y * b.slope) / b.value};
}
// f(x), where f'(x) = slope
inline DualNumber chain(DualNumber x, double value, double slope) { return {value, slope * x.slope}; }

using Sizes = std::vector<int64_t>;
using Places = std::vector<size_t>;

inline int64_t count(const Sizes& shape) {
  int64_t n = 1;
  for (const int64_t size : shape) n *= size;
  return n;
}

// All numbers of a program; no number is ever removed.
class Memory {
 public:
  DualNumber& operator[](size_t place) { return numbers_[place]; }
  size_t add(DualNumber x) {
    numbers_.push_back(x);
    return numbers_.size() - 1;
  }

 private:
  std::vector<DualNumber> numbers_;
};

struct Tensor {
  Sizes shape;
  Places places;  // of the elements, in logical order

  size_t dims() const { return shape.size(); }
  // Returns the view whose element at `index` is this tensor's element at from(index).
  Tensor view(const Sizes& new_shape, const std::function<Sizes(const Sizes&)>& from) const {
    Tensor y{new_shape, {}};
    Sizes index(new_shape.size(), 0);
    for (int64_t left = count(new_shape); left > 0; --left) {
      y.places.push_back(places[flat(from(index))]);
      advance(index, new_shape);
    }
    return y;
  }
  size_t flat(const Sizes& index) const {
    int64_t at = 0;
    for (size_t d = 0; d < shape.size(); ++d) at = at * shape[d] + index[d];
    return static_cast<size_t>(at);
  }
  static void advance(Sizes& index, const Sizes& shape) {
    for (size_t d = shape.size(); d-- > 0;) {
      if (++index[d] < shape[d]) return;
      index[d] = 0;
    }
  }
  Tensor transposed(size_t a, size_t b) const {
    const auto swapped = [a, b](Sizes s) {
      std::swap(s[a], s[b]);
      return s;
    };
    return view(swapped(shape), swapped);
  }
  Tensor sliced(size_t dim, int64_t start, int64_t step) const {
    Sizes smaller = shape;
    smaller[dim] = (shape[dim] - start + step - 1) / step;
    return view(smaller, [=](Sizes i) {
      i[dim] = start + i[dim] * step;
      return i;
    });
  }
  Tensor selected(size_t dim, int64_t at) const {
    Sizes smaller = shape;
    smaller.erase(smaller.begin() + static_cast<int64_t>(dim));
    return view(smaller, [=](Sizes i) {
      i.insert(i.begin() + static_cast<int64_t>(dim), at);
      return i;
    });
  }
  Tensor unsqueezed(size_t dim) const {
    Sizes larger = shape;
    larger.insert(larger.begin() + static_cast<int64_t>(dim), 1);
    return {larger, places};
  }
  Tensor expanded(const Sizes& larger) const {
    const size_t more = larger.size() - shape.size();
    return view(larger, [=, this](Sizes i) {
      i.erase(i.begin(), i.begin() + static_cast<int64_t>(more));
      for (size_t d = 0; d < i.size(); ++d)
        if (shape[d] == 1) i[d] = 0;
      return i;
    });
  }
};

// The shape that two tensors are broadcast to; nullopt if they do not fit.
inline std::optional<Sizes> broadcast(const Sizes& a, const Sizes& b) {
  Sizes out(std::max(a.size(), b.size()), 1);
  for (const Sizes* s : {&a, &b})
    for (size_t d = 0; d < s->size(); ++d) {
      int64_t& size = out[out.size() - s->size() + d];
      if (size != 1 && (*s)[d] != 1 && size != (*s)[d]) return {};
      if (size == 1) size = (*s)[d];
    }
  return out;
}

}  // namespace plain
