#include "compositions.h"

#include <fmt/ranges.h>

#include <random>

#include "engine/ops.h"

using namespace glassgrad;

namespace testing {
namespace {

constexpr double kLargest = 30;  // with larger numbers, differences have too few digits
constexpr int kFewest = 3, kMost = 12;

std::string tuple(const Dims& d) {
  return fmt::format("({}{})", fmt::join(d.begin(), d.end(), ", "), d.n == 1 ? "," : "");
}
Dims reversed(const Dims& d) {
  Dims r;
  for (int i = d.n - 1; i >= 0; --i) r.push(d[i]);
  return r;
}
std::string replaced(std::string text, const std::string& what, const std::string& by) {
  for (size_t at = 0; (at = text.find(what, at)) != text.npos; at += by.size())
    text.replace(at, what.size(), by);
  return text;
}

Tensors copies(const Tensors& all) {
  const NoGrad no_graph;
  Tensors y;
  for (const Tensor& x : all) y.push_back(clone(x.detach()));
  return y;
}

bool overlaps(const Tensor& x) {
  std::vector<double*> cells = cells_of(x);
  std::sort(cells.begin(), cells.end());
  return std::adjacent_find(cells.begin(), cells.end()) != cells.end();
}

// Describes how a value becomes an input for a row of the op table.
struct InputSpec {
  int first = 0;  // the index of the first element
  Layout layout = Layout::Contiguous;
  bool constant = false;  // the input does not depend on the value, so it needs no gradient
};

// Makes a tensor of this shape from x's numbers: spreads them apart and moves them into the row's range.
Tensor input_of(const Tensor& x, const Dims& shape, const OpRow& row, const InputSpec& spec) {
  const auto& [first, layout, constant] = spec;
  const int64_t n = shape.numel();
  std::vector<int64_t> places;
  std::vector<double> apart;
  for (int64_t k = 0; k < n; ++k) {
    places.push_back((k + first) % x.numel());
    apart.push_back(double((k * 5 + first) % (n + 3)) / double(n + 3) * 3 - 1.5);
  }
  const Tensor fixed = from_values(apart, n, float64);
  const Tensor numbers = constant ? fixed : index(x.reshape({-1}), {from_values(places, n)}) * 0.25 + fixed;
  const double span = row.high - row.low;
  const Tensor flat = sigmoid(numbers) * (0.98 * span) + (row.low + 0.01 * span);
  if (layout == Layout::Transposed) return flat.view(reversed(shape)).T();
  if (layout == Layout::Gapped) return stack({flat, flat}, 1).select(1, 1).reshape(shape);
  return flat.view(shape);
}

class Composer {
 public:
  Composer(uint64_t seed, ProgramKind kind) : kind_(kind), random_(seed * 4 + static_cast<uint64_t>(kind)) {
    p_.seed = seed;
    nan_ = kind != ProgramKind::Smooth && next(4) == 0;
    for (int n = 2 + next(2); n > 0; --n) start(true);
    start(false);
    values_ = p_.run();
    const int steps = kFewest + next(kMost - kFewest + 1);
    if (kind == ProgramKind::Smooth) row(seed % op_table().size());  // every row of the op table is used
    for (int tries = 0; std::ssize(p_.steps) < steps && tries < 4 * kMost; ++tries) {
      if (kind == ProgramKind::Smooth && next(8) == 0)
        row(static_cast<size_t>(next(static_cast<int>(op_table().size()))));
      else
        move(chosen_move());
    }
    choose_roots();
  }
  Program program() && { return std::move(p_); }

 private:
  int next(int n) { return static_cast<int>(random_() % static_cast<uint64_t>(n)); }
  bool odds(int percent) { return next(100) < percent; }
  // Draws a value, a late one more often than an early one.
  size_t any() {
    const size_t n = values_.size(), back = static_cast<size_t>(next(static_cast<int>(n)));
    return n - 1 - (odds(50) ? back / 2 : back);
  }
  // Draws a value that, nearly always, broadcasts to x's shape.
  size_t partner(size_t x) {
    for (int tries = 0; tries < 8; ++tries)
      if (const size_t y = any(); expands_to(values_[y].shape(), values_[x].shape())) return y;
    return odds(80) ? x : any();
  }

  double number() {
    if (kind_ == ProgramKind::Smooth) return (next(257) - 128) / 64. + ++numbers_ / 8192.;  // no number twice
    if (nan_ && odds(12)) return NAN;
    static constexpr double few[] = {0, 0, 1, 1, -1, 0.5, 2, -0.5};
    return few[next(8)];
  }
  void start(bool is_leaf) {
    static const Dims shapes[] = {{2, 3}, {3}, {},     {3, 2},    {2, 1, 3}, {0, 3}, {1},       {2, 2},
                                  {4},    {2}, {1, 3}, {2, 3, 2}, {1, 1},    {3, 1}, {2, 2, 1}, {3, 3}};
    Start s;
    s.shape = shapes[next(16)];
    s.is_leaf = is_leaf;
    s.layout = static_cast<Start::Layout>(odds(40) ? 0 : next(Start::kEnd));
    const int64_t n = s.shape.numel();
    for (int64_t k = s.layout == Start::Shifted ? n + 2 : s.layout == Start::Gapped ? 2 * n : n; k > 0; --k)
      s.numbers.push_back(number());
    p_.starts.push_back(std::move(s));
  }

  bool fits(const Tensor& x) const {
    if (x.numel() > 200 || x.dim() > 5) return false;
    const std::vector<double> all = x.to_vector<double>();
    return kind_ != ProgramKind::Smooth ||
           std::all_of(all.begin(), all.end(), [](double v) { return std::abs(v) <= kLargest; });
  }
  // Runs the step and keeps it unless a number becomes too large. Returns true if it was kept.
  bool add(Step s) {
    const Tensors before = copies(values_);
    Tensors inputs, results;
    for (const size_t i : s.in) inputs.push_back(values_[i]);
    try {
      results = s.call(inputs);
    } catch (const Error& e) {
      const std::string why = e.what();
      // A row may read one of several views whose base was written: that is a valid refusal.
      const bool stale = why.find("has been modified inplace") != why.npos;
      CHECK_MESSAGE((!s.is_row || stale), "program ", p_.seed, ": ", s.python, " throws ", why);
      CHECK_MESSAGE(largest_difference(before, copies(values_), 0) == 0, "program ", p_.seed,
                    ": the refusal of ", s.python, " changes a value");
      s.refused = true;
      p_.steps.push_back(std::move(s));
      return false;
    }
    const Tensors& changed = s.in_place ? values_ : results;
    if (!std::all_of(changed.begin(), changed.end(), [&](const Tensor& x) { return fits(x); })) {
      if (s.in_place) values_ = p_.run();  // undoes the step
      return false;
    }
    s.results = results.size();
    p_.steps.push_back(std::move(s));
    values_.insert(values_.end(), results.begin(), results.end());
    return true;
  }

  const Move& chosen_move() {
    constexpr unsigned kinds[] = {kView, kView, kGeometry, kWrite, kWrite, kResult, kResult, kResult};
    const bool pytorch_only = kind_ == ProgramKind::PyTorchOnly && odds(15);
    const unsigned kind = pytorch_only ? unsigned{kPyTorchOnly} : kinds[next(8)];
    for (;;) {
      const Move& m = moves()[static_cast<size_t>(next(static_cast<int>(moves().size())))];
      if (m.is(kind) && m.is(kPyTorchOnly) == pytorch_only && !(m.is(kKink) && kind_ == ProgramKind::Special))
        return m;
    }
  }
  void move(const Move& m) {
    const size_t i = any(), j = m.takes_two() ? partner(i) : i;
    const Tensor& x = values_[i];
    MoveArguments n;
    n.d = x.dim() ? next(static_cast<int>(x.dim())) : 0;
    n.e = x.dim() ? next(static_cast<int>(x.dim())) : 0;
    n.flag = odds(50);
    if (m.is(kWrite) && kind_ != ProgramKind::PyTorchOnly && overlaps(x)) return;
    if (x.dim() && x.size(0) == 1) n.flag = true;  // index_put_ names place 0 twice: the two must add up
    if (m.is(kAlong) && (x.dim() == 0 || x.size(n.d) == 0)) return;
    n.last = x.dim() ? x.size(n.d) - 1 : 0;
    n.k = n.last > 0 ? next(static_cast<int>(n.last) + 1) : 0;

    std::string text = m.python, colons;
    for (int64_t d = 0; d < n.d; ++d) colons += ":, ";
    for (const auto& [what, by] : {std::pair<std::string, std::string>{"{d}", std::to_string(n.d)},
                                   {"{e}", std::to_string(n.e)},
                                   {"{k}", std::to_string(n.k)},
                                   {"{last}", std::to_string(n.last)},
                                   {"{flag}", n.flag ? "True" : "False"},
                                   {"{:}", colons}})
      text = replaced(text, what, by);
    const bool in_place = m.is(kInPlace);
    add({{i, j},
         [call = m.call, n, in_place](const Tensors& t) {
           const Tensor y = call(t[0], t[1], n);
           return in_place ? Tensors{} : Tensors{y};
         },
         text,
         in_place});
  }

  void row(size_t number) {
    const OpRow& r = op_table()[number];
    const auto& shapes = r.shapes[static_cast<size_t>(next(static_cast<int>(r.shapes.size())))];
    Step s;
    s.python = fmt::format("# {}:", r.name);
    s.is_row = true;
    std::vector<InputSpec> specs;
    for (size_t k = 0; k < shapes.size(); ++k) {
      size_t i = any();
      for (int tries = 0; values_[i].numel() == 0; i = any())
        if (++tries == 20) return;
      s.in.push_back(i);
      specs.push_back({next(7), static_cast<Layout>(next(3)), odds(20)});
    }
    s.call = [&r, shapes, specs](const Tensors& t) {
      Tensors inputs, results;
      for (size_t k = 0; k < shapes.size(); ++k) inputs.push_back(input_of(t[k], shapes[k], r, specs[k]));
      for (const Tensor& y : r.call(inputs))
        if (r.gradient && y.dtype() == float64) results.push_back(y);  // others have no slope
      return results;
    };
    if (!add(std::move(s))) return;
    p_.rows.push_back(r.name);
    p_.width = std::max(p_.width, r.step);
  }

  void choose_roots() {
    std::vector<size_t> all;
    for (size_t i = 0; i < values_.size(); ++i)
      if (values_[i].numel() > 0) all.push_back(i);
    for (int n = 1 + next(3); n > 0 && !all.empty(); --n) {
      const auto chosen = all.end() - 1 - next(static_cast<int>(std::min<size_t>(all.size(), 6)));
      p_.roots.push_back(*chosen);
      all.erase(chosen);
    }
  }

  const ProgramKind kind_;
  std::mt19937_64 random_;
  Program p_;
  Tensors values_;
  bool nan_ = false;
  int numbers_ = 0;
};

}  // namespace

Tensor Start::made() const {
  const int64_t n = std::ssize(numbers);
  const Tensor flat = from_values(numbers, n, float64);
  const Tensor x = layout == Plain        ? from_values(numbers, shape, float64)
                   : layout == Reshaped   ? flat.view(shape)
                   : layout == Transposed ? flat.view(reversed(shape)).T()
                   : layout == Shifted    ? flat.narrow(0, 1, n - 2).view(shape)
                                          : flat.view({n / 2, 2}).select(1, 0).reshape(shape);
  if (is_leaf) x.requires_grad_();
  return x;
}

std::string Start::python() const {
  std::string text;
  for (const double v : numbers) text += fmt::format("{}{}", text.empty() ? "" : ", ", v);
  text = fmt::format("torch.tensor([{}], dtype=torch.float64)", text);
  const int64_t n = std::ssize(numbers);
  Dims order;
  for (int d = shape.n - 1; d >= 0; --d) order.push(d);
  if (layout == Plain) text += fmt::format(".reshape({}).clone()", tuple(shape));
  if (layout == Reshaped) text += fmt::format(".view({})", tuple(shape));
  if (layout == Transposed)
    text += fmt::format(".view({}).permute({})", tuple(reversed(shape)), tuple(order));
  if (layout == Shifted) text += fmt::format(".narrow(0, 1, {}).view({})", n - 2, tuple(shape));
  if (layout == Gapped) text += fmt::format(".view({}, 2).select(1, 0).reshape({})", n / 2, tuple(shape));
  return is_leaf ? text + ".requires_grad_()" : text;
}

Tensors Program::run(const std::function<void(const Tensors&)>& nudge) const {
  Tensors values;
  for (const Start& s : starts) values.push_back(s.made());
  if (nudge) nudge(values);
  for (const Step& s : steps) {
    if (s.refused) continue;
    Tensors inputs;
    for (const size_t i : s.in) inputs.push_back(values[i]);
    for (Tensor& y : s.call(inputs)) values.push_back(std::move(y));
  }
  return values;
}

std::string Program::python() const {
  std::string text = fmt::format("def program_{}():\n", seed);
  size_t values = 0;
  for (const Start& s : starts) text += fmt::format("    v{} = {}\n", values++, s.python());
  for (size_t k = 0; k < steps.size(); ++k) {
    const Step& s = steps[k];
    std::string code = s.python;
    for (size_t i = 0; i < s.in.size(); ++i)
      code = replaced(code, fmt::format("{{{}}}", i), fmt::format("v{}", s.in[i]));
    if (s.is_row) {
      for (size_t n = 0; n < s.results; ++n) code += fmt::format(" v{}", values++);
      text += fmt::format("    {} of v{}\n", code, fmt::join(s.in, ", v"));
      continue;
    }
    if (!s.in_place) code = (s.refused ? "_" : fmt::format("v{}", values++)) + " = " + code;
    text += fmt::format("    try:\n        {}\n    except Exception as error:\n        refused({}, error)\n",
                        code, k);
  }
  std::vector<std::string> all, ends;
  for (size_t i = 0; i < values; ++i) all.push_back(fmt::format("v{}", i));
  for (const size_t i : roots) ends.push_back(all[i]);
  text += fmt::format("    show([{}])\n", fmt::join(all, ", "));
  all.resize(starts.size());
  return text + fmt::format("    backward([{}], [{}])\n\n", fmt::join(ends, ", "), fmt::join(all, ", "));
}

Program composed(uint64_t seed, ProgramKind kind) { return Composer(seed, kind).program(); }

}  // namespace testing
