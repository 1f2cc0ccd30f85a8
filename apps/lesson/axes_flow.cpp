#include "apps/lesson/axes_flow.h"
#include "engine/core/joined.h"

#include <fmt/ranges.h>

#include <algorithm>

#include "engine/core/error.h"

namespace glassgrad::learn {

using script::Expr;
using Words = std::vector<std::string>;

namespace {

bool one_of(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// Functions whose result has the axes of their first argument.
bool keeps(std::string_view f) {
  return one_of(f,
                {"exp",   "abs",    "bool", "float", "double",  "long",        "masked_fill", "masked_fill_",
                 "clone", "detach", "tril", "triu",  "dropout", "contiguous",  "relu",        "tanh",
                 "gelu",  "log",    "sqrt", "round", "Dropout", "layer_norm",  "LayerNorm",   "sigmoid",
                 "where", "to",     "eq",   "lt",    "gt",      "logical_not", "zeros_like",  "ones_like"});
}
bool sums_up(std::string_view f) {
  return one_of(f, {"sum", "mean", "norm", "amax", "amin", "max", "min", "var", "std", "argmax", "argmin"});
}

}  // namespace

const AxisWords& AxesFlow::of(const Tensor& x) const {
  static const AxisWords unknown;
  const auto found = known_.find(x->storage->id);
  if (found == known_.end()) return unknown;
  for (const Known& k : found->second)
    if (k.offset == x->offset && k.shape == x.shape() && k.strides == x.strides()) return k.axes;
  return unknown;
}

void AxesFlow::set(const Tensor& x, AxisWords axes) {
  check(std::ssize(axes.words) == x.dim(), "({}) names {} dimensions, but the tensor has {}: its shape is {}",
        joined(axes.words, ", "), axes.words.size(), x.dim(), to_string(x.shape()));
  std::vector<Known>& here = known_[x->storage->id];
  std::erase_if(here, [&](const Known& k) {
    return k.offset == x->offset && k.shape == x.shape() && k.strides == x.strides();
  });
  here.push_back({x->offset, x.shape(), x.strides(), std::move(axes)});
}

const AxesFlow::Operand& AxesFlow::operand(const Expr* x) const {
  static const Operand unknown;
  const auto found = operands_.find(x);
  return found == operands_.end() ? unknown : found->second;
}

void AxesFlow::evaluated(const Expr& x, const script::Value& v) {
  Operand noted;
  if (const auto* t = v.as<script::TensorObject>()) {
    const Tensor& y = t->tensor;
    // A Name, or a result that is one of the operands, already has axes.
    if (of(y).words.empty() && x.kind != Expr::Name) {
      AxisWords axes = derived(x, y);
      if (!axes.words.empty() && std::ssize(axes.words) == y.dim()) set(y, std::move(axes));
    }
    noted.axes = of(y);
    if (noted.axes.words.empty()) return void(operands_.erase(&x));
  } else if (v.is_int()) {
    noted.number = v;
  } else if (const auto* m = v.as<script::Instance>()) {
    noted.layer = m->type().name;
  } else {
    return void(operands_.erase(&x));
  }
  operands_.insert_or_assign(&x, std::move(noted));
}

AxisWords AxesFlow::derived(const Expr& x, const Tensor& y) const {
  switch (x.kind) {
    case Expr::Binary: {
      const AxisWords &a = operand(x.left.get()).axes, &b = operand(x.right.get()).axes;
      if (x.binary == script::BinaryOp::MatMul) {
        if (a.words.empty() || b.words.empty()) return {};
        Words words(a.words.begin(), a.words.end() - 1);
        if (b.words.size() > 1) words.push_back(b.words.back());
        return {words};
      }
      return {(a.words.size() >= b.words.size() ? a : b).words};
    }
    case Expr::Comparison: {
      const AxisWords &a = operand(x.items[0].get()).axes, &b = operand(x.items[1].get()).axes;
      return {(a.words.size() >= b.words.size() ? a : b).words};
    }
    case Expr::Unary:
      return {operand(x.left.get()).axes.words};
    case Expr::Attribute: {
      Words words = operand(x.left.get()).axes.words;
      if (x.text == "T")
        std::reverse(words.begin(), words.end());
      else if (x.text == "mT" && words.size() > 1)
        std::swap(words[words.size() - 1], words[words.size() - 2]);
      else if (!one_of(x.text, {"grad", "data"}))
        words.clear();
      return {words};
    }
    case Expr::Subscript:
      return indexed(x);
    case Expr::Call:
      return called(x, y);
    default:
      return {};
  }
}

std::optional<int64_t> AxesFlow::argument(const Expr& call, size_t position, std::string_view name) const {
  size_t at = 0;
  for (const script::Argument& a : call.arguments) {
    const bool fits = a.kind == script::Argument::Positional ? at++ == position : a.name == name;
    if (!fits) continue;
    if (const auto& number = operand(a.value.get()).number) return number.whole();
  }
  return {};
}

AxisWords AxesFlow::called(const Expr& x, const Tensor& y) const {
  // For x.f(…), torch.f(x, …) or layer(x): finds the name of f and the arguments after the tensor.
  const bool is_attribute = x.left->kind == Expr::Attribute;
  std::string f = is_attribute ? x.left->text : x.left->text;
  size_t first = 0;
  AxisWords from = is_attribute ? operand(x.left->left.get()).axes : AxisWords();
  if (from.words.empty()) {
    if (x.arguments.empty()) return {};
    if (const std::string& layer = operand(x.left.get()).layer; !layer.empty()) f = layer;
    from = operand(x.arguments[0].value.get()).axes;
    first = 1;
  }
  Words words = from.words;
  const auto n = static_cast<int64_t>(words.size());
  const auto place = [&](int64_t dim) { return dim < 0 ? dim + n : dim; };
  if (words.empty()) return {};
  if (f == "softmax" || f == "Softmax") return {words, true};
  if (keeps(f)) return f == "dropout" || f == "Dropout" ? from : AxisWords{words, false};
  if (f == "transpose") {
    const auto a = argument(x, first, "dim0"), b = argument(x, first + 1, "dim1");
    if (!a || !b || place(*a) >= n || place(*b) >= n || place(*a) < 0 || place(*b) < 0) return {};
    std::swap(words[static_cast<size_t>(place(*a))], words[static_cast<size_t>(place(*b))]);
    return {words};
  }
  if (sums_up(f)) {
    const auto dim = argument(x, first, "dim");
    if (!dim || place(*dim) < 0 || place(*dim) >= n) return {};
    const auto at = words.begin() + place(*dim);
    if (y.dim() == n)
      *at = f;
    else
      words.erase(at);
    return {words};
  }
  return {};
}

AxisWords AxesFlow::indexed(const Expr& x) const {
  const Words& words = operand(x.left.get()).axes.words;
  if (words.empty()) return {};
  std::vector<const Expr*> index;
  if (x.right->kind == Expr::Tuple)
    for (const auto& one : x.right->items) index.push_back(one.get());
  else
    index.push_back(x.right.get());
  Words left;
  size_t at = 0;
  for (const Expr* one : index) {
    const bool is_none = one->kind == Expr::Constant && one->value.is_none();
    if (is_none) {
      left.emplace_back("1");
      continue;
    }
    if (at >= words.size()) return {};
    if (one->kind == Expr::SliceOf)
      left.push_back(words[at]);
    else if (!operand(one).number && !(one->kind == Expr::Constant && one->value.is_int()))
      return {};
    ++at;
  }
  left.insert(left.end(), words.begin() + static_cast<ptrdiff_t>(at), words.end());
  return {left};
}

}  // namespace glassgrad::learn
