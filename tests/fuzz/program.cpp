// Programs of random ops, views and in-place writes: compares the engine's values and gradients with
// plain.h's. An op that the engine refuses must change nothing; an op that it accepts must have the right
// gradients.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine/ops.h"
#include "plain.h"
#include "targets.h"

using namespace glassgrad;

namespace fuzzing {
namespace {

constexpr double kTolerance = 1e-9;  // of numbers up to kLargest, after kMostOps ops
constexpr double kLargest = 1e3, kNearKink = 1e-4;
constexpr int kMostOps = 24;

Dims dims_of(const plain::Sizes& sizes) {
  Dims dims;
  for (const int64_t s : sizes) dims.push(s);
  return dims;
}

struct Pair {
  Tensor ours;
  plain::Tensor theirs;
};

class Program {
 public:
  explicit Program(std::string_view bytes) : left_(bytes) {
    for (int i = 0; i < 3; ++i) add_leaf();
    for (int i = 0; i < kMostOps && !left_.empty(); ++i) {
      try {
        step();
      } catch (const Error&) {  // refused: nothing may have changed
      }
      check_values();
    }
    check_gradients();
  }

 private:
  using Numbers = std::vector<plain::DualNumber>;

  int next(int n) {
    if (left_.empty()) return 0;
    const auto byte = static_cast<unsigned char>(left_.front());
    left_.remove_prefix(1);
    return byte % n;
  }
  size_t choose(size_t n) { return static_cast<size_t>(next(static_cast<int>(n))); }
  const Pair& any() { return values_[values_.size() - 1 - choose(values_.size())]; }
  plain::DualNumber at(const plain::Tensor& t, size_t i) { return memory_[t.places[i]]; }

  void add_leaf() {
    static const plain::Sizes shapes[] = {{2, 3}, {3}, {}, {3, 2}, {2, 1, 3}, {0, 3}, {4}, {1}};
    plain::Tensor t{shapes[choose(8)], {}};
    std::vector<double> numbers, direction;
    for (int64_t i = plain::count(t.shape); i > 0; --i) {
      numbers.push_back((next(33) - 16) / 8. + 0.01 * double(i));
      direction.push_back(1 + 0.125 * double(i));
      t.places.push_back(memory_.add({numbers.back(), direction.back()}));
    }
    const Tensor leaf = from_values(numbers, dims_of(t.shape), float64);
    leaf.requires_grad_();
    leaves_.push_back({leaf, direction});
    values_.push_back({leaf, t});
  }

  // Makes a result with new numbers; nullopt if one is too large to compare up to rounding.
  std::optional<plain::Tensor> fresh(const plain::Sizes& shape, const Numbers& numbers) {
    for (const auto& n : numbers)
      if (!(std::abs(n.value) <= kLargest) || !(std::abs(n.slope) <= kLargest)) return {};
    plain::Tensor t{shape, {}};
    for (const auto& n : numbers) t.places.push_back(memory_.add(n));
    return t;
  }
  template <class F>
  void keep(F ours, const plain::Sizes& shape, const Numbers& numbers) {
    if (const auto theirs = fresh(shape, numbers)) values_.push_back({ours(), *theirs});
  }
  template <class F>
  Numbers each(const plain::Tensor& x, F f) {
    Numbers y;
    for (size_t i = 0; i < x.places.size(); ++i) y.push_back(f(at(x, i)));
    return y;
  }
  bool away_from_zero(const Numbers& numbers) {
    return std::all_of(numbers.begin(), numbers.end(), [](auto n) { return std::abs(n.value) >= kNearKink; });
  }

  void step() {
    const int kind = next(8);
    const Pair a = any();
    const Pair b = kind == 1 || kind == 4 || kind == 5 || kind == 6 ? any() : a;
    switch (kind) {
      case 0:
        return unary(a);
      case 1:
        return binary(a, b);
      case 2:
        return reduction(a);
      case 3:
        return view(a);
      case 4:
        return in_place(a, b);
      case 5:
        return product(a, b);
      case 6:
        return joined(a, b);
      default:
        return picked(a);
    }
  }

  void unary(const Pair& x) {
    const auto smooth = [&](auto ours, auto f) {
      keep([&] { return ours(x.ours); }, x.theirs.shape, each(x.theirs, f));
    };
    using N = plain::DualNumber;
    switch (next(9)) {
      case 0:
        return smooth([](auto& t) { return -t; }, [](N n) { return N{} - n; });
      case 1:
        return smooth([](auto& t) { return sin(t); },
                      [](N n) { return chain(n, std::sin(n.value), std::cos(n.value)); });
      case 2:
        return smooth([](auto& t) { return exp(t); },
                      [](N n) { return chain(n, std::exp(n.value), std::exp(n.value)); });
      case 3:
        return smooth([](auto& t) { return square(t); }, [](N n) { return n * n; });
      case 4:
        return smooth([](auto& t) { return tanh(t); },
                      [](N n) {
                        const double y = std::tanh(n.value);
                        return chain(n, y, 1 - y * y);
                      });
      case 5:
        return smooth([](auto& t) { return sigmoid(t); },
                      [](N n) {
                        const double y = 1 / (1 + std::exp(-n.value));
                        return chain(n, y, y * (1 - y));
                      });
      case 6:
        return smooth([](auto& t) { return t * 0.5 + 1; }, [](N n) { return n * N{0.5} + N{1}; });
      case 7:
        if (!away_from_zero(each(x.theirs, [](N n) { return n; }))) return;
        return smooth([](auto& t) { return relu(t); }, [](N n) { return n.value > 0 ? n : N{}; });
      default:
        return smooth([](auto& t) { return clone(t); }, [](N n) { return n; });
    }
  }

  void binary(const Pair& a, const Pair& b) {
    const int op = next(5);
    const auto shape = plain::broadcast(a.theirs.shape, b.theirs.shape);
    const auto ours = [&] {
      return op == 0   ? a.ours + b.ours
             : op == 1 ? a.ours - b.ours
             : op == 2 ? a.ours * b.ours
             : op == 3 ? a.ours / b.ours
                       : maximum(a.ours, b.ours);
    };
    if (!shape) {
      ours();  // throws
      require(false, "shapes that do not fit are refused");
    }
    const plain::Tensor x = a.theirs.expanded(*shape), y = b.theirs.expanded(*shape);
    Numbers numbers, kinks;
    for (size_t i = 0; i < x.places.size(); ++i) {
      const plain::DualNumber l = at(x, i), r = at(y, i);
      numbers.push_back(op == 0             ? l + r
                        : op == 1           ? l - r
                        : op == 2           ? l * r
                        : op == 3           ? l / r
                        : l.value > r.value ? l
                                            : r);
      kinks.push_back(op == 4 ? l - r : plain::DualNumber{1});
    }
    if (away_from_zero(kinks)) keep(ours, *shape, numbers);
  }

  // sum, mean, cumsum or softmax along the last dimension.
  void reduction(const Pair& x) {
    const int op = next(4);
    const bool keepdim = next(2) == 1;
    if (x.theirs.dims() == 0) return;
    const size_t n = static_cast<size_t>(x.theirs.shape.back());
    if (n == 0) return;
    plain::Sizes shape = x.theirs.shape;
    if (op < 2) keepdim ? void(shape.back() = 1) : shape.pop_back();
    Numbers numbers;
    for (size_t row = 0; row < x.theirs.places.size(); row += n) {
      plain::DualNumber sum, exps;
      double largest = -kLargest;
      for (size_t i = 0; i < n; ++i) largest = std::max(largest, at(x.theirs, row + i).value);
      // Subtract the maximum: softmax stays the same, and e^-740 would have only two digits.
      const auto exp_of = [largest](plain::DualNumber v) {
        const double y = std::exp(v.value - largest);
        return chain(v, y, y);
      };
      for (size_t i = 0; i < n; ++i) {
        const plain::DualNumber v = at(x.theirs, row + i);
        sum = sum + v;
        exps = exps + exp_of(v);
        if (op == 2) numbers.push_back(sum);
      }
      if (op == 0) numbers.push_back(sum);
      if (op == 1) numbers.push_back(sum / plain::DualNumber{double(n)});
      for (size_t i = 0; op == 3 && i < n; ++i) numbers.push_back(exp_of(at(x.theirs, row + i)) / exps);
    }
    keep(
        [&] {
          return op == 0   ? sum(x.ours, -1, keepdim)
                 : op == 1 ? mean(x.ours, -1, keepdim)
                 : op == 2 ? cumsum(x.ours, -1)
                           : softmax(x.ours, -1);
        },
        shape, numbers);
  }

  void view(const Pair& x) {
    const size_t dims = x.theirs.dims();
    const int op = next(5);
    if (op == 4) {
      const size_t dim = choose(dims + 1);
      if (dims < 5) values_.push_back({x.ours.unsqueeze(int64_t(dim)), x.theirs.unsqueezed(dim)});
      return;
    }
    if (dims == 0) return;
    const size_t dim = choose(dims), other = choose(dims);
    const int64_t size = x.theirs.shape[dim];
    if (op == 0)
      values_.push_back({x.ours.transpose(int64_t(dim), int64_t(other)), x.theirs.transposed(dim, other)});
    if (size == 0) return;
    const int64_t start = next(int(size)), step = 1 + next(2);
    if (op == 1)
      values_.push_back({x.ours.slice(int64_t(dim), start, {}, step), x.theirs.sliced(dim, start, step)});
    if (op == 2) values_.push_back({x.ours.select(int64_t(dim), start), x.theirs.selected(dim, start)});
    plain::Sizes larger = x.theirs.shape;
    larger.insert(larger.begin(), 2);
    if (op == 3 && dims < 5) values_.push_back({x.ours.expand(dims_of(larger)), x.theirs.expanded(larger)});
  }

  void in_place(const Pair& a, const Pair& b) {
    const int op = next(4);
    const plain::Sizes& shape = a.theirs.shape;
    plain::Places sorted = a.theirs.places;
    std::sort(sorted.begin(), sorted.end());
    const bool overlaps = std::adjacent_find(sorted.begin(), sorted.end()) != sorted.end();
    const bool shared = std::any_of(b.theirs.places.begin(), b.theirs.places.end(), [&](size_t p) {
      return std::binary_search(sorted.begin(), sorted.end(), p);
    });
    if (shared && op < 3 && a.theirs.places != b.theirs.places)
      return;  // partly overlapping operands are refused
    const auto ours = [&] {
      op == 0   ? add_(a.ours, b.ours)
      : op == 1 ? mul_(a.ours, b.ours)
      : op == 2 ? copy_(a.ours, b.ours)
                : mul_(a.ours, 0.5);
    };
    if (op == 2 && a.ours.ref() == b.ours.ref()) return void(ours());  // onto itself: nothing is written
    const auto common = op == 3 ? shape : plain::broadcast(shape, b.theirs.shape).value_or(plain::Sizes{-1});
    if (common != shape || overlaps) {
      ours();
      return require(false, "a write that does not fit, or twice to the same place, is refused");
    }
    const plain::Tensor y = op == 3 ? a.theirs : b.theirs.expanded(shape);
    Numbers numbers;
    for (size_t i = 0; i < sorted.size(); ++i) {
      const plain::DualNumber l = at(a.theirs, i), r = at(y, i);
      numbers.push_back(op == 0 ? l + r : op == 1 ? l * r : op == 2 ? r : l * plain::DualNumber{0.5});
    }
    if (!fresh(shape, numbers)) return;
    ours();
    for (size_t i = 0; i < numbers.size(); ++i) memory_[a.theirs.places[i]] = numbers[i];
  }

  void product(const Pair& a, const Pair& b) {
    if (a.theirs.dims() != 2 || b.theirs.dims() != 2) return;
    const int64_t m = a.theirs.shape[0], k = a.theirs.shape[1], n = b.theirs.shape[1];
    if (k != b.theirs.shape[0]) {
      matmul(a.ours, b.ours);  // throws
      require(false, "matrices that do not fit are refused");
    }
    Numbers numbers;
    for (int64_t i = 0; i < m; ++i)
      for (int64_t j = 0; j < n; ++j) {
        plain::DualNumber total;
        for (int64_t l = 0; l < k; ++l)
          total = total + at(a.theirs, a.theirs.flat({i, l})) * at(b.theirs, b.theirs.flat({l, j}));
        numbers.push_back(total);
      }
    keep([&] { return matmul(a.ours, b.ours); }, {m, n}, numbers);
  }

  void joined(const Pair& a, const Pair& b) {
    if (a.theirs.shape != b.theirs.shape || a.theirs.dims() > 4) return;
    Numbers numbers = each(a.theirs, [](auto n) { return n; });
    const Numbers more = each(b.theirs, [](auto n) { return n; });
    numbers.insert(numbers.end(), more.begin(), more.end());
    plain::Sizes shape = a.theirs.shape;
    const bool stacked = shape.empty() || next(2) == 1;
    if (stacked)
      shape.insert(shape.begin(), 2);
    else
      shape[0] *= 2;
    if (plain::count(shape) > 64) return;
    keep([&] { return stacked ? stack({a.ours, b.ours}) : cat({a.ours, b.ours}); }, shape, numbers);
  }

  // index_select, tril or masked_fill.
  void picked(const Pair& x) {
    const int op = next(3);
    const size_t dims = x.theirs.dims();
    if (dims == 0 || (op == 1 && dims < 2)) return;
    if (op == 0) {
      if (x.theirs.shape[0] == 0) return;
      std::vector<int64_t> rows;
      for (int i = next(4); i >= 0; --i) rows.push_back(next(int(x.theirs.shape[0])));
      plain::Sizes shape = x.theirs.shape;
      shape[0] = std::ssize(rows);
      if (plain::count(shape) > 64) return;
      const plain::Tensor y = x.theirs.view(shape, [&](plain::Sizes i) {
        i[0] = rows[size_t(i[0])];
        return i;
      });
      return keep([&] { return index_select(x.ours, 0, from_values(rows, std::ssize(rows))); }, shape,
                  each(y, [](auto n) { return n; }));
    }
    Numbers numbers;
    plain::Sizes index(dims, 0);
    for (size_t i = 0; i < x.theirs.places.size(); ++i) {
      const plain::DualNumber n = at(x.theirs, i);
      if (op == 2 && std::abs(n.value - 0.5) < kNearKink) return;
      const bool stays = op == 1 ? index[dims - 1] <= index[dims - 2] : n.value <= 0.5;
      numbers.push_back(stays ? n : plain::DualNumber{op == 1 ? 0. : -2.});
      plain::Tensor::advance(index, x.theirs.shape);
    }
    keep([&] { return op == 1 ? tril(x.ours) : masked_fill(x.ours, x.ours > 0.5, -2); }, x.theirs.shape,
         numbers);
  }

  void check_values() {
    for (const Pair& pair : values_) {
      require(pair.ours.shape() == dims_of(pair.theirs.shape), "the shape is the plain engine's");
      const std::vector<double> ours = pair.ours.to_vector<double>();
      for (size_t i = 0; i < ours.size(); ++i)
        require(std::abs(ours[i] - at(pair.theirs, i).value) <= kTolerance * kLargest,
                "the value is the plain engine's");
    }
  }

  // Compares the slope of Σ cᵢyᵢ along the direction: from the engine's gradients, and from the slopes in
  // plain.h.
  void check_gradients() {
    const Pair y = any();
    double theirs = 0;
    std::vector<double> weights;
    for (size_t i = 0; i < y.theirs.places.size(); ++i) {
      weights.push_back(1 - 0.25 * double(i % 5));
      theirs += weights.back() * at(y.theirs, i).slope;
    }
    double ours = 0, scale = 1 + std::abs(theirs);
    try {
      if (!y.ours.requires_grad()) return require(theirs == 0, "what depends on a leaf requires grad");
      y.ours.backward(from_values(weights, y.ours.shape(), float64));
    } catch (const Error&) {
      return;  // a tensor that backward needs was written in place
    }
    for (const auto& [leaf, direction] : leaves_) {
      if (!leaf.grad()) continue;
      const std::vector<double> gradient = leaf.grad().to_vector<double>();
      require(gradient.size() == direction.size(), "a gradient has its leaf's shape");
      for (size_t i = 0; i < gradient.size(); ++i) {
        ours += gradient[i] * direction[i];
        scale += std::abs(gradient[i] * direction[i]);
      }
    }
    require(std::abs(ours - theirs) <= kTolerance * kLargest * scale, "the gradient is the plain engine's");
  }

  struct Leaf {
    Tensor tensor;
    std::vector<double> direction;
  };
  std::string_view left_;
  plain::Memory memory_;
  std::vector<Leaf> leaves_;
  std::vector<Pair> values_;
};

// Prints the program while it runs, if SHOW is set.
struct Printer : Observer {
  void op(const Call& call) override {
    const auto text = [](const Tensor& x) {
      return fmt::format("[{}] of storage {} at {}", x.shape(), x->storage->id, x->offset);
    };
    std::string line = fmt::format("{}{}:", call.backward_of ? "  backward " : "", call.op.name);
    for (const Tensor* x : call.in)
      if (*x) line += " " + text(*x);
    for (const Tensor& y : call.out)
      line += fmt::format(" -> {}: {}", text(y), fmt::join(y.to_vector<double>(), " "));
    show(line.c_str());
  }
};

void program(std::string_view bytes) {
  const int64_t before = Storage::alive();
  {
    Printer printer;
    const Watch watch(std::getenv("SHOW") ? &printer : nullptr);
    const Program one(bytes);
  }
  require(Storage::alive() == before, "nothing is left behind");
}

}  // namespace

std::vector<Target> program_targets() { return {{"program", program}}; }

}  // namespace fuzzing
