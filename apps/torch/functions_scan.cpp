// Running results along a dimension (cumulative maxima, logcumsumexp …), and the most frequent element.
#include <cmath>

#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

// Calls f. For a 0-d x, adds a dimension of size 1 before and removes it afterwards.
template <class F>
ValuesIndices with_a_dim(const Tensor& x, F f) {
  if (x.dim() > 0) return f(x);
  const ValuesIndices y = f(x.unsqueeze(0));
  return {y.values.squeeze(0), y.indices.squeeze(0)};
}

// 0, 1, … along dim d of x, expanded to x's shape.
Tensor places_along(const Tensor& x, int d) {
  return line_along(arange(x.size(d)), d, x.dim()).expand(x.shape());
}

// The places of the extremes so far. Of equal elements the last wins, and NaN wins over numbers. Each round
// doubles the distance over which elements were compared.
Tensor places_of_extremes(bool greatest, const Tensor& x, int d) {
  Tensor places = places_along(x, d), best = x;
  const int64_t n = x.size(d);
  for (int64_t reach = 1; reach < n; reach *= 2) {
    const Tensor before = best.narrow(d, 0, n - reach), after = best.narrow(d, reach, n - reach);
    const Tensor is_better = greatest ? ge(after, before) : le(after, before);
    const Tensor after_wins = isnan(after) | (is_better & logical_not(isnan(before)));
    const auto joined = [&](const Tensor& t) {
      return cat({t.narrow(d, 0, reach),
                  where(after_wins, t.narrow(d, reach, n - reach), t.narrow(d, 0, n - reach))},
                 d);
    };
    best = joined(best), places = joined(places);
  }
  return places;
}

ValuesIndices extremes_so_far(bool greatest, const Tensor& input, int64_t dim) {
  wrap_dim(dim, input.dim());
  return with_a_dim(input, [&](const Tensor& x) {
    const int d = wrap_dim(dim, x.dim());
    const Tensor places = places_of_extremes(greatest, x.detach(), d).contiguous();
    const char* const node = greatest ? "CummaxBackward0" : "CumminBackward0";
    return ValuesIndices{rename_node(node, gather(x, d, places)), places};
  });
}

// log(e^a + e^b), also for two equal infinities.
Tensor log_of_two(const Tensor& a, const Tensor& b) {
  const Tensor top = maximum(a, b), low = minimum(a, b);
  return top + log1p(exp(where(low == top, 0, low - top)));
}
// One chain per line, in float64 for smaller dtypes, as PyTorch computes it.
Tensor log_of_running_sum(const Tensor& x, int64_t dim) {
  wrap_dim(dim, x.dim());
  check(is_floating(x.dtype()), "\"logcumsumexp_out_cpu\" not implemented for '{}'",
        scalar_type_name(x.dtype()));
  if (x.dim() == 0 || x.numel() == 0) return rename_node("LogcumsumexpBackward0", clone(x));
  std::vector<Tensor> parts = to(x, float64).unbind(dim);
  for (size_t k = 1; k < parts.size(); ++k) parts[k] = log_of_two(parts[k], parts[k - 1]);
  return rename_node("LogcumsumexpBackward0", to(stack(parts, dim), x.dtype()));
}

// The most frequent element along dim, the least of several; its place is the last among the equal ones.
ValuesIndices most_frequent(const Tensor& input, int64_t dim, bool keepdim) {
  const int given = wrap_dim(dim, input.dim());
  check<IndexError>(input.dim() == 0 || input.size(given) > 0,
                    "mode(): Expected reduction dim {} to have non-zero size.", given);
  return with_a_dim(input, [&](const Tensor& x) {
    const int d = wrap_dim(dim, x.dim());
    const bool keeps = keepdim || input.dim() == 0;
    if (x.numel() == 0) return max(to(x, float32), d, keeps);
    const ValuesIndices sorted = sort(x.detach(), d);
    const int64_t n = x.size(d);
    const Tensor differs = ne(sorted.values.narrow(d, 1, n - 1), sorted.values.narrow(d, 0, n - 1));
    const Tensor edge = ones_like(sorted.values.narrow(d, 0, 1), boolean), places = places_along(x, d);
    const Tensor starts = where(cat({edge, differs}, d), places, 0);
    const Tensor run = places - gather(starts, d, places_of_extremes(true, starts, d)) + 1;
    const Tensor last = argmax(where(cat({differs, edge}, d), run, 0), d, true);
    const Tensor place = gather(sorted.indices, d, last), value = gather(x, d, place);
    const auto shaped = [&](const Tensor& t) { return keeps ? t : t.squeeze(d); };
    return ValuesIndices{rename_node("ModeBackward0", shaped(value)), shaped(place)};
  });
}

}  // namespace

Rows scan_rows() {
  return {
      row(kBoth, "cummax(Tensor input, int dim" GG_OUTS ")",
          [](const Tensor& x, int64_t dim) { return chosen("cummax", extremes_so_far(true, x, dim)); })
          .help("max input[…, :i + 1, …] along dim, and its place: of equal ones the last.")
          .out(same("expected scalar_type {E} but found {G}", "expected scalar_type {E} but found {G}")),
      row(kBoth, "cummin(Tensor input, int dim" GG_OUTS ")",
          [](const Tensor& x, int64_t dim) { return chosen("cummin", extremes_so_far(false, x, dim)); })
          .help("min input[…, :i + 1, …] along dim, and its place: of equal ones the last.")
          .out(same("expected scalar_type {E} but found {G}", "expected scalar_type {E} but found {G}")),
      row(kBoth, "logcumsumexp(Tensor input, int dim" GG_OUT ")", call<log_of_running_sum>)
          .help("log Σ exp(input[…, :i + 1, …]) along dim.")
          .out(same("expected scalar_type {E} but found {G}", "expected scalar_type {E} but found {G}")),
      row(kBoth, "mode(Tensor input, int dim=-1, bool keepdim=False" GG_OUTS ")",
          [](const Tensor& x, int64_t dim, bool keepdim) {
            return chosen("mode", most_frequent(x, dim, keepdim));
          })
          .help("The most frequent element along dim, the least of several, and its last place.")
          .out(same("expected scalar type '{E}' but got '{G}' for values output",
                    "expected scalar type '{E}' but got '{G}' for indices output")),
  };
}

}  // namespace glassgrad::GG_HOST
