// Order: sorting, the greatest few, unique values.
#include <algorithm>
#include <cmath>

#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

int64_t line(const Tensor& x, int64_t dim) { return x.dim() ? x.size(dim) : 1; }

// The k-th element (from 0) in sorted order along dim, as median and kthvalue of PyTorch return it.
ValuesIndices kth(const Tensor& x, int64_t k, int64_t dim, bool keepdim) {
  const auto [values, indices] = sort(x, dim);
  const auto at = [&](const Tensor& t) {
    return x.dim() == 0 ? t : keepdim ? t.narrow(dim, k, 1) : t.select(dim, k);
  };
  return {at(values), at(indices)};
}
void check_has_order(const char* kernel, const Tensor& x) {
  check(x.dtype() != boolean, "\"{}\" not implemented for 'Bool'", kernel);
}
void check_line(const char* name, const Tensor& x, int64_t dim) {
  check<IndexError>(line(x, dim) > 0, "{}(): Expected reduction dim {} to have non-zero size.", name,
                    wrap_dim(dim, x.dim()));
}

// The median along dim, the lesser of two; or the first NaN.
ValuesIndices middle(const Tensor& x, int64_t dim, bool keepdim) {
  check_has_order("median_out", x);
  check_line("median", x, dim);
  const ValuesIndices y = kth(x, (line(x, dim) - 1) / 2, dim, keepdim);
  if (!is_floating(x.dtype()) || x.numel() == 0) return y;
  const Tensor is_nan = isnan(x), found = argmax(to(is_nan, uint8), dim, true);
  const Tensor value = gather(x, dim, found);
  const auto shaped = [&](const Tensor& t) { return keepdim || x.dim() == 0 ? t : t.squeeze(dim); };
  const Tensor missing = shaped(isnan(value)).detach();
  return {where(missing, shaped(value), y.values), where(missing, shaped(found), y.indices)};
}
// The median of all elements. All elements equal to it share its gradient.
Tensor middle_of_all(const Tensor& x) {
  if (x.numel() == 0) return sum(x) + NAN;
  const Tensor value = middle(x.detach().flatten(), 0, false).values;
  if (!needs_grad(x)) return value;
  const bool is_finite = std::isfinite(value.item());
  const Tensor own = isnan(value).item<bool>() ? isnan(x) : eq(x, value), count = sum(own);
  // Exact to the bit for a finite median: the sum is 0.
  return is_finite ? sum(where(own, x - value, 0)) / count + value : sum(where(own, x, 0)) / count;
}
ValuesIndices with_node(const char* node, const ValuesIndices& y) {
  return {rename_node(node, y.values), y.indices};
}
// A tensor, or a tuple of the requested results.
Result unique_of(const Tensor& x, bool inverse, bool counts) {
  const Unique u = unique(x.detach());
  std::vector<Tensor> all{u.values};
  if (inverse) all.push_back(u.inverse);
  if (counts) all.push_back(u.counts);
  return all.size() == 1 ? wrap(u.values) : wrap(all);
}

// Takes x's slices along d in `order`; `starts` is true where a run of equal slices begins. Returns one slice
// per run, or a tuple of the requested results. inverse_shape: the shape of the inverse indices.
Result runs_from(const Tensor& x, int d, const Tensor& starts, const Tensor& order, const Dims& inverse_shape,
                 bool inverse, bool counts) {
  const Tensor at = nonzero(starts).flatten();
  std::vector<Tensor> all{index_select(x, d, index_select(order, 0, at))};
  if (inverse) {
    const Tensor numbers = cumsum(starts, 0) - 1;
    all.push_back(index_put_(empty_like(numbers), {order}, numbers).view(inverse_shape));
  }
  if (counts) all.push_back(cat({at.slice(0, 1, {}), full({1}, starts.numel())}) - at);
  return all.size() == 1 ? wrap(all[0]) : wrap(all);
}
// True for the first row and for each row that differs from the one before.
Tensor starts_of(const Tensor& rows) {
  const int64_t n = rows.size(0);
  Tensor starts = ones({n}, boolean);
  if (n > 1) {
    const Tensor differ = ne(rows.slice(0, 1, {}), rows.slice(0, 0, n - 1));
    copy_(starts.slice(0, 1, {}), sum(differ, Dims{1}) > 0);
  }
  return starts;
}
// Each run of equal elements becomes one.
Result runs_of(const Tensor& x, bool inverse, bool counts) {
  const Tensor flat = x.detach().flatten();
  return runs_from(flat, 0, starts_of(flat.unsqueeze(1)), arange(flat.numel()), x.shape(), inverse, counts);
}
// The distinct slices along dim in lexicographic order, or each run of equal slices once.
Result slices_of(const char* name, const Tensor& x, int64_t dim, bool sorts, bool inverse, bool counts) {
  const int d = wrap_dim(dim, x.dim());
  for (int64_t k = 0; k < x.dim(); ++k)
    check(k == d || x.size(k) > 0,
          "There are 0 sized dimensions, and they aren't selected, so {} cannot be applied", name);
  const int64_t n = x.size(d);
  Tensor rows = moved(x.detach(), {d}, {0}).reshape({n, n ? x.numel() / n : 1}), order = arange(n);
  if (sorts)
    for (int64_t column = rows.size(1) - 1; column >= 0; --column)
      order = index_select(order, 0, argsort(index_select(rows.select(1, column), 0, order)));
  rows = index_select(rows, 0, order);
  return runs_from(x.detach(), d, starts_of(rows), order, {n}, inverse, counts);
}

Tensor counts_of(const Tensor& x, const Tensor& weights, int64_t least) {
  check(x.dim() == 1 && x.dtype() != boolean && !is_floating(x.dtype()),
        "bincount only supports 1-d non-negative integral inputs.");
  check(x.numel() == 0 || min(x).item<int64_t>() >= 0,
        "bincount only supports 1-d non-negative integral inputs.");
  const int64_t largest = x.numel() ? max(x).item<int64_t>() : -1;
  check(largest < INT64_MAX, "maximum value of input overflowed, it should be < {} but got {}", INT64_MAX,
        largest);
  const int64_t n = std::max(largest + 1, least);
  const Tensor ones_or_weights = weights ? weights : ones(x.shape(), int64);
  return scatter_add(zeros({n}, ones_or_weights.dtype()), 0, to(x, int64), ones_or_weights);
}

// How many numbers of the last dimension are less than v (or not greater, with `right`), by bisection.
Tensor bisected(const Tensor& sorted, const Tensor& v, bool right, bool out_int32) {
  const int64_t n = sorted.size(-1);
  const DType t = out_int32 ? int32 : int64;
  Tensor low = zeros(v.shape(), int64), high = full(v.shape(), n, int64);
  for (int64_t left = n; left > 0; left /= 2) {
    const Tensor middle = floor_divide(low + high, 2), safe = clamp(middle, {}, double(n - 1));
    const Tensor number = sorted.dim() == 1 ? index(sorted, {safe}) : gather(sorted, -1, safe);
    // NaN comes after all numbers.
    const Tensor is_before = logical_not(right ? gt(number, v) : ge(number, v)) & (low < high);
    high = where(is_before, high, middle);
    low = where(is_before, middle + 1, low);
  }
  return to(low, t);
}
Tensor places_in(const Tensor& sorted, const Tensor& v, bool out_int32, bool given_right, Text side,
                 const Tensor& sorter) {
  check(side.empty() || side == "left" || side == "right",
        "torch.searchsorted(): side can only be 'left' or 'right' but got {}", side);
  check(
      side != "left" || !given_right,
      "torch.searchsorted(): side and right can't be set to opposites, got side of left while right was True");
  const bool right = given_right || side == "right";
  check(
      sorted.dim() == 1 || v.dim() > 0 || v.numel() != 1,
      "torch.searchsorted(): input value can be a scalar only when boundaries tensor dimension is 1, but we got "
      "boundaries tensor dim({}) and input value's dim({}) numel({})",
      sorted.dim(), v.dim(), v.numel());
  check(sorted.dim() > 0,
        "torch.searchsorted(): boundaries tensor should have positive dimension, but got 0 dimension");
  bool same = sorted.dim() == v.dim();
  for (int64_t k = 0; same && k + 1 < v.dim(); ++k) same = sorted.size(k) == v.size(k);
  check(
      sorted.dim() == 1 || same,
      "torch.searchsorted(): boundaries tensor should be 1 dimension or the first N-1 dimensions of boundaries tensor "
      "and input value tensor must match, but we got boundaries tensor {} and input value tensor {}",
      sorted.shape(), v.shape());
  return bisected(sorter ? gather(sorted, -1, sorter) : sorted, v, right, out_int32);
}
Tensor buckets_of(const Tensor& v, const Tensor& boundaries, bool out_int32, bool right) {
  check(boundaries.dim() == 1, "boundaries tensor must be 1 dimension, but got dim({})", boundaries.dim());
  return bisected(boundaries, v, right, out_int32);
}

// Returns how many ways there are to choose r of n, or the largest int64 if there are more.
int64_t binomial(int64_t n, int64_t r) {
  int64_t ways = r <= n;
  r = std::min(r, n - r);
  for (int64_t k = 0; k < r; ++k) {
    if (__builtin_mul_overflow(ways, n - k, &ways)) return INT64_MAX;
    ways /= k + 1;
  }
  return ways;
}

// All choices of r elements of a vector, in order.
Tensor choices_of(const Tensor& x, int64_t r, bool with_replacement) {
  check(x.dim() == 1, "Expect a 1D vector, but got shape {}", x.shape());
  check(r >= 0, "Expect a non-negative number, but got {}", r);
  if (r == 0) return empty({0}, x.dtype());
  const int64_t n = x.numel(), step = with_replacement ? 0 : 1;
  int64_t most = n;
  if (with_replacement && n > 0 && __builtin_add_overflow(n - 1, r, &most)) most = INT64_MAX;
  const int64_t rows = binomial(most, r);
  empty({rows, r}, int64);  // refuses what does not fit into memory
  std::vector<int64_t> places(static_cast<size_t>(rows * r));
  int64_t* at = places.data();
  for (int64_t k = 0; rows > 0 && k < r; ++k) at[k] = k * step;
  for (int64_t row = 1; row < rows; ++row, at += r) {
    std::copy(at, at + r, at + r);
    int64_t k = r - 1;
    while (at[k] == n - 1 - (r - 1 - k) * step) --k;
    for (int64_t place = at[k] + 1; k < r; ++k, place += step) at[r + k] = place;
  }
  const Tensor all = index_select(x, 0, from_values(places, {rows * r})).view({rows, r});
  return rename_node("StackBackward0", all);
}

Tensor among(const Tensor& x, const Tensor& tests, bool invert) {
  const Tensor found = ne(sum(eq(x.unsqueeze(-1), tests.flatten()), Dims{-1}), 0);
  return invert ? logical_not(found) : found;
}

// The number below which a share q of the elements lies; `how` decides between two elements.
Tensor quantile(const Tensor& x, const Tensor& q, std::optional<int64_t> dim, bool keepdim, Text how) {
  check(x.dtype() == float32 || x.dtype() == float64,
        "quantile() input tensor must be either float or double dtype");
  check(q.dtype() == x.dtype(), "quantile() q tensor must be same dtype as the input tensor");
  check(q.dim() <= 1, "quantile() q must be a scalar or 1D tensor");
  check(!any((q < 0) | (q > 1)).is_true(), "quantile() q values must be in the range [0, 1]");
  check(how == "linear" || how == "lower" || how == "higher" || how == "midpoint" || how == "nearest",
        "quantile() interpolation must be one of linear, lower, higher, midpoint or nearest, but got {}",
        how);
  check(x.numel() > 0, "quantile() input tensor must be non-empty");
  const bool all = !dim || x.dim() == 0;
  const Tensor numbers = sort(all ? x.flatten() : moved(x, {*dim}, {-1}), -1).values;
  const Tensor lines = where(sum(isnan(numbers), Dims{-1}, true) > 0, NAN, numbers);
  const Tensor exact = q.flatten() * (lines.size(-1) - 1);
  const Tensor ranks = how == "lower"     ? floor(exact)
                       : how == "higher"  ? ceil(exact)
                       : how == "nearest" ? round(exact)
                                          : exact;
  const auto at = [&](const Tensor& rank) { return index_select(lines, -1, to(rank, int64)); };
  const Tensor low = floor(ranks);
  Tensor y = at(low);
  if (how == "linear" || how == "midpoint") {
    const Tensor weight = how == "midpoint" ? full_like(ranks, 0.5) : ranks - low;
    y = lerped(y, at(ceil(ranks)), weight.expand(y.shape()));
  }
  y = moved(y, {-1}, {0});
  if (keepdim && all) {
    Dims shape{-1};
    for (int64_t d = 0; d < x.dim(); ++d) shape.push(1);
    y = y.reshape(shape);
  } else if (keepdim) {
    y = y.unsqueeze(*dim >= 0 ? *dim + 1 : *dim);
  }
  return rename_node("SqueezeBackward4", q.dim() == 0 ? y[0] : y);
}

// Counts the elements in each of `bins` equal parts from min to max; if both are equal, from the least to the
// greatest element.
Tensor counts_of_parts(const Tensor& input, int64_t bins, double min, double max) {
  check(is_floating(input.dtype()), "\"histogram_cpu\" not implemented for '{}'",
        scalar_type_name(input.dtype()));
  check(bins > 0, "torch.histogram(): bins must be > 0, but got {} for dimension 0", bins);
  const Tensor all = input.detach().flatten();
  if (min == max && all.numel() > 0) min = glassgrad::min(all).item(), max = glassgrad::max(all).item();
  check(std::isfinite(min) && std::isfinite(max), "torch.histc: range of [{:g}, {:g}] is not finite", min,
        max);
  check(min <= max, "torch.histc: max must be larger than min");
  if (min == max) --min, ++max;
  const Tensor x = masked_select(all, (all >= min) & (all <= max));
  const Tensor part = to(floor((x - min) * (double(bins) / (max - min))), int64);
  return to(counts_of(clamp(part, {}, double(bins - 1)), {}, bins), input.dtype());
}

}  // namespace

Rows order_rows() {
  return {
      row(kBoth, "topk(Tensor input, int k, int dim=-1, bool largest=True, bool sorted=True" GG_OUTS ")",
          [](const Tensor& x, int64_t k, int64_t dim, bool largest, bool) {
            return chosen("topk", topk(x, k, dim, largest));
          })
          .help("The k greatest (or least) along dim, in order, and where they stand: (values, indices).")
          .out(kSame),
      row(kBoth, "sort(Tensor input, *, bool stable, int dim=-1, bool descending=False, Tensor[]? out=None)",
          [](const Tensor& x, bool, int64_t dim, bool descending) {
            return chosen("sort", sort(x, dim, descending));
          })
          .help("The elements along dim in order, and where they stood: (values, indices).")
          .out(kSame),
      row(kBoth, "sort(Tensor input, int dim=-1, bool descending=False, *, Tensor[]? out=None)",
          [](const Tensor& x, int64_t dim, bool descending) {
            return chosen("sort", sort(x, dim, descending));
          })
          .out(kSame),
      row(kBoth, "argsort(Tensor input, int dim=-1, bool descending=False)", call<argsort>)
          .help("Where the elements in order stand along dim; int64."),
      row(kBoth, "argsort(Tensor input, *, bool stable, int dim=-1, bool descending=False)",
          [](const Tensor& x, bool, int64_t dim, bool descending) { return argsort(x, dim, descending); }),
      row(kTorch, "msort(Tensor input" GG_OUT ")", [](const Tensor& x) { return sort(x, 0).values; })
          .help("sort(input, 0).values.")
          .out(kSame, "sort"),
      row(kBoth, "median(Tensor input)",
          [](const Tensor& x) {
            check_has_order("median_cpu", x);
            return rename_node("MedianBackward0", middle_of_all(x));
          })
          .help("The middle element in order, of two the lesser; with dim along it and where it stands."),
      row(kBoth, "median(Tensor input, int dim, bool keepdim=False" GG_OUTS ")",
          [](const Tensor& x, int64_t dim, bool keepdim) {
            return chosen("median", with_node("MedianBackward1", middle(x, dim, keepdim)));
          })
          .out(same("Expected tensor for 'values' to have the same type as tensor for argument #2 'self'; "
                    "but type torch.{G}Tensor does not equal torch.{E}Tensor (while checking arguments for "
                    "median)",
                    "Expected tensor for argument #1 'indices' to have scalar type {E}; but got "
                    "torch.{G}Tensor instead (while checking arguments for median)")),
      row(kBoth, "kthvalue(Tensor input, int k, int dim=-1, bool keepdim=False" GG_OUTS ")",
          [](const Tensor& x, int64_t k, int64_t dim, bool keepdim) {
            check_has_order("kthvalue_cpu", x);
            check_line("kthvalue", x, dim);
            check(k >= 1 && k <= line(x, dim), "kthvalue(): selected number k out of range for dimension {}",
                  dim);
            return chosen("kthvalue", with_node("KthvalueBackward0", kth(x, k - 1, dim, keepdim)));
          })
          .help("The k-th least along dim, and where it stands.")
          .out(same("output values must be of same type as input",
                    "output indices must be of scalar type {E}")),
#define GG_QUANTILE(q, function)                                                       \
  row(kBoth,                                                                           \
      "quantile(Tensor input, " q                                                      \
      " q, int? dim=None, bool keepdim=False, *, str interpolation='linear', Tensor? " \
      "out=None)",                                                                     \
      function)                                                                        \
      .out(same("quantile() out tensor must be same dtype as the input tensor"))
      GG_QUANTILE("Tensor", call<quantile>)
          .help("The number that a share q of the elements is below, over all of them or along dim; "
                "interpolation says which, between two.")
          .autocast_on_cpu(kWide),
      GG_QUANTILE("float",
                  [](const Tensor& x, double q, std::optional<int64_t> dim, bool keepdim, Text how) {
                    check(q >= 0 && q <= 1, "quantile() q must be in the range [0, 1] but got {:g}", q);
                    return quantile(x, full({}, q, x.dtype()), dim, keepdim, how);
                  }),
      row(kBoth, "histc(Tensor input, int bins=100, Scalar min=0, Scalar max=0" GG_OUT ")",
          call<counts_of_parts>)
          .help("How many elements lie in each of as many equal parts from min to max; both 0: from the "
                "least to the greatest.")
          .out(same("torch.histogram: input tensor and hist tensor should have the same dtype, but got input "
                    "{e} and hist {g}")),
      row(kBoth,
          "unique(Tensor input, bool sorted=True, bool return_inverse=False, bool return_counts=False, int? dim=None)",
          [](const Tensor& x, bool, bool inverse, bool counts, std::optional<int64_t> dim) {
            return dim ? slices_of("unique", x, *dim, true, inverse, counts) : unique_of(x, inverse, counts);
          })
          .help("The values in ascending order, each once; where each element's value stands among them; "
                "how often each is there."),
      row(kBoth,
          "unique_consecutive(Tensor input, bool return_inverse=False, bool return_counts=False, int? dim=None)",
          [](const Tensor& x, bool inverse, bool counts, std::optional<int64_t> dim) {
            return dim ? slices_of("unique_consecutive", x, *dim, false, inverse, counts)
                       : runs_of(x, inverse, counts);
          })
          .help("unique of neighbours only."),
      row(kBoth, "combinations(Tensor input, int r=2, bool with_replacement=False)", call<choices_of>)
          .help("All choices of r elements of a vector, a row each, in order."),
      row(kBoth, "bincount(Tensor input, Tensor? weights=None, int minlength=0)", call<counts_of>)
          .help("How often each of 0, 1, … is among the ints."),
      row(kTorch,
          "searchsorted(Tensor sorted_sequence, TensorOrNumber input, *, bool out_int32=False, bool right=False, str? "
          "side=None, Tensor? sorter=None)",
          call<places_in>)
          .help("How many of the sorted numbers are less than input (right: or equal); int64."),
      row(kTorch,
          "bucketize(TensorOrNumber input, Tensor boundaries, *, bool out_int32=False, bool right=False)",
          call<buckets_of>)
          .help("searchsorted(boundaries, input)."),
#define GG_IS_IN(parameters)                                                                            \
  row(kTorch, "isin(" parameters ", *, bool assume_unique=False, bool invert=False, Tensor? out=None)", \
      [](const Tensor& x, const Tensor& tests, bool, bool invert) { return among(x, tests, invert); })  \
      .out(kSame)
      GG_IS_IN("Tensor elements, Tensor test_elements").help("Is each element one of test_elements; bool."),
      GG_IS_IN("Scalar element, Tensor test_elements"),
      GG_IS_IN("Tensor elements, Scalar test_element"),
  };
}

}  // namespace glassgrad::GG_HOST
