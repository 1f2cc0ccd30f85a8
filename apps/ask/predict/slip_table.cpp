#include "apps/ask/predict/slip_table.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/lesson/phrases.h"

namespace glassgrad::learn {
namespace {

using Maybe = std::optional<double>;

double value(const Expr& e) { return to_double(e.value()); }

const Expr& without_cast(const Expr& e) { return e->op == "cast" ? e->inputs[0] : e; }

// ---- x / s and x · s for a single number s
struct Scale {
  double x, s;
  bool divides;
};

std::optional<Scale> scale_of(const SlipContext& w) {
  const Expr& tree = without_cast(w.tree);
  const bool divides = tree->op == "div";
  if ((!divides && tree->op != "mul") || tree->inputs.size() != 2) return {};
  const Expr &a = without_cast(tree->inputs[0]), &b = without_cast(tree->inputs[1]);
  const auto is_single = [&](const Expr& e) { return e->op == "cell" && w.shape(size_t(e->input)).n == 0; };
  if (a->op == "cell" && is_single(b)) return Scale{value(a), value(b), divides};
  if (b->op == "cell" && is_single(a) && !divides) return Scale{value(b), value(a), false};
  return {};
}

// "dividing by 1.4142 (the root of 2)".
std::string doing(const Scale& scale) {
  const double root = scale.divides ? scale.s * scale.s : 1 / (scale.s * scale.s);
  std::string text = fmt::format("{} by {}", scale.divides ? "dividing" : "multiplying", digits(scale.s));
  const bool whole =
      std::abs(root - std::round(root)) < 1e-4 && std::abs(scale.s - std::round(scale.s)) > 1e-4;
  if (whole && root > 1 && root < 1e9)
    text += fmt::format(" ({}the root of {:.0f})", scale.divides ? "" : "1 over ", root);
  return text;
}

std::string doing_scale(const SlipContext& w) {
  const auto scale = scale_of(w);
  return scale ? doing(*scale) : "";
}

double scaled(const Scale& scale, double x, double s) { return scale.divides ? x / s : x * s; }

Maybe no_scale(const SlipContext& w) {
  const auto scale = scale_of(w);
  return scale ? Maybe(scale->x) : Maybe();
}
Maybe scale_twice(const SlipContext& w) {
  const auto scale = scale_of(w);
  return scale ? Maybe(scaled(*scale, scaled(*scale, scale->x, scale->s), scale->s)) : Maybe();
}
Maybe scale_reversed(const SlipContext& w) {
  const auto scale = scale_of(w);
  return scale ? Maybe(scale->divides ? scale->x * scale->s : scale->x / scale->s) : Maybe();
}
// Returns the number of heads: the scores of several heads are (batch, heads, queries, keys).
int64_t heads(const SlipContext& w) { return w.index.n == 4 ? w.call.out[0].shape()[1] : 1; }
Maybe scale_model(const SlipContext& w) {
  const auto scale = scale_of(w);
  if (!scale || heads(w) < 2) return {};
  const double more = std::sqrt(double(heads(w)));
  return scaled(*scale, scale->x, scale->divides ? scale->s * more : scale->s / more);
}

// ---- mask ? fill : x
struct Masking {
  bool masked;
  double fill, x;
};

std::optional<Masking> masking_of(const SlipContext& w) {
  if (!w.is({"masked_fill", "where"}) || w.tree->op != "where") return {};
  const auto& in = w.tree->inputs;
  return Masking{is_true(in[0].value()), value(in[1]), value(in[2])};
}
Maybe no_mask(const SlipContext& w) {
  const auto m = masking_of(w);
  return m ? Maybe(m->x) : Maybe();
}
Maybe mask_zero(const SlipContext& w) {
  const auto m = masking_of(w);
  return m && std::isinf(m->fill) ? Maybe(m->masked ? 0 : m->x) : Maybe();
}
Maybe mask_reversed(const SlipContext& w) {
  const auto m = masking_of(w);
  return m ? Maybe(m->masked ? m->x : m->fill) : Maybe();
}

// ---- softmax
int softmax_dim(const SlipContext& w) {
  struct : AttrVisitor {
    void operator()(const char*, int64_t v) override { dim = static_cast<int>(v); }
    void operator()(const char*, double) override {}
    void operator()(const char*, bool) override {}
    void operator()(const char*, const Dims&) override {}
    int dim = 0;
  } found;
  w.call.attr.each(found);
  return found.dim;
}
int other_dim(const SlipContext& w) {
  return softmax_dim(w) == w.index.n - 1 ? w.index.n - 2 : w.index.n - 1;
}

Maybe softmax_along(const SlipContext& w, int dim) {
  double top = -INFINITY, sum = 0;
  Dims place = w.index;
  const int64_t n = w.shape(0)[dim];
  for (place[dim] = 0; place[dim] < n; ++place[dim]) top = std::max(top, w.in(0, place));
  for (place[dim] = 0; place[dim] < n; ++place[dim]) sum += std::exp(w.in(0, place) - top);
  return std::exp(w.in(0, w.index) - top) / sum;
}
Maybe softmax_other(const SlipContext& w) {
  return w.is({"softmax"}) && w.index.n >= 2 ? softmax_along(w, other_dim(w)) : Maybe();
}
std::string other_dim_text(const SlipContext& w) {
  return w.index.n >= 2 ? fmt::format("dim {} instead of dim {}", other_dim(w), softmax_dim(w)) : "";
}
Maybe softmax_exp(const SlipContext& w) {
  return w.is({"softmax"}) ? Maybe(std::exp(w.in(0, w.index))) : Maybe();
}
Maybe softmax_plain(const SlipContext& w) {
  if (!w.is({"softmax"}) || w.index.n == 0) return {};
  double sum = 0;
  Dims place = w.index;
  const int dim = softmax_dim(w);
  for (place[dim] = 0; place[dim] < w.shape(0)[dim]; ++place[dim]) sum += w.in(0, place);
  return w.in(0, w.index) / sum;
}
Maybe no_softmax(const SlipContext& w) { return w.is({"softmax"}) ? Maybe(w.in(0, w.index)) : Maybe(); }

// ---- Σ a·b
// Returns the sum of products in the tree of a matrix product; null if there is none.
const ExprNode* products_of(const SlipContext& w) {
  if (!w.is({"mm", "bmm", "mv", "dot", "addmm"})) return nullptr;
  const Expr* e = &without_cast(w.tree);
  if ((*e)->op == "add") e = &without_cast((*e)->inputs[1]);
  return ((*e)->op == "dot" || (*e)->op == "sum") && !(*e)->inputs.empty() ? e->operator->() : nullptr;
}
Maybe without_product(const SlipContext& w, bool last) {
  const ExprNode* const sum = products_of(w);
  if (!sum || sum->inputs.size() < 2) return {};
  return value(w.tree) - value(last ? sum->inputs.back() : sum->inputs.front());
}
Maybe no_last(const SlipContext& w) { return without_product(w, true); }
Maybe no_first(const SlipContext& w) { return without_product(w, false); }
Maybe no_bias(const SlipContext& w) {
  return w.is({"addmm"}) ? Maybe(value(w.tree) - value(without_cast(w.tree)->inputs[0])) : Maybe();
}

// A product with its matrices transposed or swapped; their last two dimensions are rows and columns.
struct Turned {
  bool first, second, swapped;
};
Maybe product(const SlipContext& w, Turned turned) {
  if (!w.is({"mm", "bmm", "addmm"})) return {};
  const size_t first = w.is({"addmm"}) ? 1 : 0;
  const size_t a = turned.swapped ? first + 1 : first, b = turned.swapped ? first : first + 1;
  const int row = w.index.n - 2, column = w.index.n - 1;
  const auto at = [&](size_t k, int64_t i, int64_t j, bool turn) {
    Dims place = w.index;
    place[row] = turn ? j : i;
    place[column] = turn ? i : j;
    return w.in(k, place);
  };
  const auto is_square = [&](size_t k) { return w.shape(k)[row] == w.shape(k)[column]; };
  if (!(turned.second || is_square(first)) || !(turned.first || is_square(first + 1))) return {};
  double sum = 0;
  for (int64_t k = 0; k < w.shape(first)[column]; ++k)
    sum += at(a, w.index[row], k, turned.first) * at(b, k, w.index[column], turned.second);
  return sum;
}
Maybe second_turned(const SlipContext& w) { return product(w, {false, true, false}); }
Maybe first_turned(const SlipContext& w) { return product(w, {true, false, false}); }
Maybe factors_swapped(const SlipContext& w) { return product(w, {false, false, true}); }

// ---- element by element
bool is_pair(const SlipContext& w, std::string_view op) {
  const Expr& tree = without_cast(w.tree);
  return tree->op == op && tree->inputs.size() == 2 && w.is({op});
}
double operand(const SlipContext& w, size_t k) { return value(without_cast(w.tree)->inputs[k]); }

bool is_dropout(const SlipContext& w) { return w.scope.ends_with("dropout"); }
Maybe no_dropout(const SlipContext& w) {
  return is_dropout(w) && is_pair(w, "mul") ? Maybe(operand(w, 0)) : Maybe();
}
Maybe no_dropout_factor(const SlipContext& w) {
  return is_dropout(w) && is_pair(w, "mul") && operand(w, 1) != 0 ? Maybe(operand(w, 0)) : Maybe();
}
std::string dropout_factor(const SlipContext& w) { return is_pair(w, "mul") ? digits(operand(w, 1)) : ""; }
Maybe no_factor(const SlipContext& w) { return is_pair(w, "mul") ? Maybe(operand(w, 0)) : Maybe(); }
Maybe no_division(const SlipContext& w) { return is_pair(w, "div") ? Maybe(operand(w, 0)) : Maybe(); }
std::string second_operand(const SlipContext& w) {
  return is_pair(w, "mul") || is_pair(w, "div") ? digits(operand(w, 1)) : "";
}
Maybe first_only(const SlipContext& w) {
  return is_pair(w, "add") || is_pair(w, "sub") ? Maybe(operand(w, 0)) : Maybe();
}
Maybe second_only(const SlipContext& w) { return is_pair(w, "add") ? Maybe(operand(w, 1)) : Maybe(); }
Maybe plus_for_minus(const SlipContext& w) {
  return is_pair(w, "sub") ? Maybe(operand(w, 0) + operand(w, 1)) : Maybe();
}
Maybe minus_reversed(const SlipContext& w) {
  return is_pair(w, "sub") ? Maybe(operand(w, 1) - operand(w, 0)) : Maybe();
}
// The slip of leaving out a function of one number.
Maybe no_function(const SlipContext& w) {
  return w.call.in.size() == 1 && w.tree->inputs.size() == 1 && w.tree->inputs[0]->op == "cell"
             ? Maybe(value(w.tree->inputs[0]))
             : Maybe();
}
std::string function_name(const SlipContext& w) { return w.call.op->name; }

// ---- sums
int64_t terms(const SlipContext& w) { return std::ssize(cells_of(w.tree)); }
std::string terms_text(const SlipContext& w) { return std::to_string(terms(w)); }
Maybe sum_for_mean(const SlipContext& w) {
  return w.is({"mean"}) ? Maybe(value(w.tree) * double(terms(w))) : Maybe();
}
Maybe mean_for_sum(const SlipContext& w) {
  return w.is({"sum"}) && terms(w) > 1 ? Maybe(value(w.tree) / double(terms(w))) : Maybe();
}
Maybe other_sign(const SlipContext& w) { return w.is({"nll_loss", "neg"}) ? Maybe(-value(w.tree)) : Maybe(); }
Maybe common_logarithm(const SlipContext& w) {
  return w.is({"log"}) ? Maybe(value(w.tree) / std::log(10.0)) : Maybe();
}

// If several slips give the same number, the first one is reported.
constexpr Slip kSlips[] = {
    {"without {}", no_scale, doing_scale},
    {"by {} twice", scale_twice, doing_scale},
    {"by doing the opposite of {}", scale_reversed, doing_scale},
    {"with the width of all heads where one head's belongs, not {}", scale_model, doing_scale},
    {"with 0 instead of -inf in the masked places", mask_zero},
    {"without the mask", no_mask},
    {"with the mask the wrong way round", mask_reversed},
    {"with {} in softmax", softmax_other, other_dim_text},
    {"without dividing by the sum of the exponentials", softmax_exp},
    {"by dividing by the plain sum, without exponentials", softmax_plain},
    {"without softmax", no_softmax},
    {"without dropout's factor {}", no_dropout_factor, dropout_factor},
    {"without dropout", no_dropout},
    {"with the second matrix transposed", second_turned},
    {"with the first matrix transposed", first_turned},
    {"with the two matrices the wrong way round", factors_swapped},
    {"without the bias", no_bias},
    {"without the last product of the sum", no_last},
    {"without the first product of the sum", no_first},
    {"without dividing by {}", no_division, second_operand},
    {"without the factor {}", no_factor, second_operand},
    {"by subtracting the wrong way round", minus_reversed},
    {"by adding instead of subtracting", plus_for_minus},
    {"with the first number alone, without the second", first_only},
    {"with the second number alone, without the first", second_only},
    {"without dividing by the number of terms, {}", sum_for_mean, terms_text},
    {"with the mean instead of the sum", mean_for_sum},
    {"with the logarithm to base 10", common_logarithm},
    {"without the minus sign", other_sign},
    {"without {}", no_function, function_name},
};

}  // namespace

const std::span<const Slip> kAllSlips = kSlips;

}  // namespace glassgrad::learn
