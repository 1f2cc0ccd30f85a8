// Combines several elements that belong to one place: scatter_reduce and index_reduce.
#include "table.h"

namespace glassgrad::GG_HOST {

namespace {

enum class How : uint8_t { Sum, Prod, Mean, Amax, Amin };

How how_of(Text name, bool has_sum) {
  if (name == "sum" && has_sum) return How::Sum;
  if (name == "prod") return How::Prod;
  if (name == "mean") return How::Mean;
  if (name == "amax" || (name == "max" && has_sum)) return How::Amax;
  if (name == "amin" || (name == "min" && has_sum)) return How::Amin;
  if (has_sum) fail("reduce argument must be either sum, prod, mean, amax or amin, got {}", name);
  fail("index_reduce(): Expected reduce to be one of prod, mean, amax or amin but got {}.", name);
}

// Splits the elements into rounds in which no place occurs twice: round k has the k-th element of each place.
std::vector<Tensor> rounds_of(const Tensor& flat_places, int64_t n) {
  std::vector<std::vector<int64_t>> rounds;
  std::vector<size_t> seen(size_t(n), 0);
  int64_t element = 0;
  for (const int64_t place : flat_places.to_vector<int64_t>()) {
    const size_t round = seen[size_t(place)]++;
    if (round == rounds.size()) rounds.emplace_back();
    rounds[round].push_back(element++);
  }
  std::vector<Tensor> all;
  for (const std::vector<int64_t>& r : rounds) all.push_back(from_values(r, int64_t(r.size())));
  return all;
}

// x's flat places of the elements of `places`, whose entries lie along dim.
Tensor flattened_places(const Tensor& x, int d, const Tensor& places) {
  const Dims strides = contiguous_strides(x.shape());
  const std::vector<Tensor> grid = grid_with(places, d, x);
  Tensor flat = zeros(places.shape(), int64);
  for (int64_t k = 0; k < x.dim(); ++k) flat = flat + grid[size_t(k)] * strides[k];
  return flat.flatten();
}

// Combines one after the other, in the order of the elements, as PyTorch multiplies and compares.
Tensor combined(How how, const Tensor& x, const Tensor& flat_places, const Tensor& source,
                bool include_self) {
  Tensor y = x.flatten();
  bool has_before = include_self;  // otherwise the first element of each place replaces x's
  for (const Tensor& round : rounds_of(flat_places, x.numel())) {
    const Tensor at = index_select(flat_places, 0, round), s = index_select(source, 0, round);
    const Tensor before = index_select(y, 0, at);
    const Tensor after = !has_before        ? s
                         : how == How::Prod ? before * s
                         : how == How::Amax ? maximum(before, s)
                                            : minimum(before, s);
    y = index_put_(clone(y), {at}, after);
    has_before = true;
  }
  return y.view(x.shape());
}

// Gives an extreme its gradient: all elements equal to it share the gradient. Adds −0 to the value, so that
// finite extremes keep their bits.
Tensor with_shared_gradient(const Tensor& y, const Tensor& start, const Tensor& takes_part,
                            const Tensor& flat_places, const Tensor& source) {
  const Tensor flat = y.flatten(), x = start.flatten();
  const Tensor own = eq(x, flat) & takes_part.flatten(),
               theirs = eq(source, index_select(flat, 0, flat_places));
  const auto total = [&](const Tensor& mine, const Tensor& of_source) {
    return scatter_add(mine, 0, flat_places, of_source);
  };
  const Tensor count = total(to(own, y.dtype()), to(theirs, y.dtype()));
  const auto zero = [](const Tensor& mask, const Tensor& t) { return where(mask, -(t.detach() - t), -0.0); };
  const Tensor nothing = total(zero(own, x), zero(theirs, source));
  return (flat + nothing / where(count == 0, 1, count)).view(y.shape());
}

Tensor scatter_reduced(const Tensor& x, int64_t dim, const Tensor& places, const Tensor& given, How how,
                       bool include_self, const char* node) {
  if (x.dim() == 0) {
    const Tensor line = places.dim() == 0 ? places.unsqueeze(0) : places;
    const Tensor source = given.dim() == 0 ? given.unsqueeze(0) : given;
    return scatter_reduced(x.unsqueeze(0), 0, line, source, how, include_self, node).squeeze(0);
  }
  const int d = wrap_dim(dim, x.dim());
  if (places.numel() == 0) return rename_node(node, clone(x));
  Tensor source = given;
  for (int64_t k = 0; k < places.dim(); ++k) source = source.narrow(k, 0, places.size(k));
  const Tensor flat = flattened_places(x, d, places), elements = source.flatten();
  const Tensor touched = scatter_add(zeros({x.numel()}), 0, flat, ones({flat.numel()})).view(x.shape());
  if (how == How::Sum || how == How::Mean) {
    const Tensor start = include_self ? x : where(touched > 0, 0, x);
    const Tensor sums = scatter_add(start.flatten(), 0, flat, elements).view(x.shape());
    if (how == How::Sum) return rename_node(node, sums);
    const Tensor count = to(clamp(touched + double(include_self), 1), x.dtype());
    return rename_node(node, is_floating(x.dtype()) ? sums / count : floor_divide(sums, count));
  }
  if (how == How::Prod || !(needs_grad(x) || needs_grad(given)))
    return rename_node(node, combined(how, x, flat, elements, include_self));
  const Tensor y = combined(how, x.detach(), flat, elements.detach(), include_self);
  const Tensor takes_part = include_self ? ones_like(touched, boolean) : touched == 0;
  return rename_node(node, with_shared_gradient(y, x, takes_part, flat, elements));
}

Tensor scatter_by(const Tensor& x, int64_t dim, const Tensor& places, const Tensor& source, Text name,
                  bool include_self) {
  const How how = how_of(name, true);
  check(places.dtype() == int64, "scatter(): Expected dtype int64 for index");
  const int d = wrap_dim(dim, x.dim());
  if (places.numel() > 0) {
    const int64_t n = x.dim() ? x.dim() : 1;
    check((places.dim() ? places.dim() : 1) == n,
          "Index tensor must have the same number of dimensions as self tensor");
    check((source.dim() ? source.dim() : 1) == n,
          "Index tensor must have the same number of dimensions as src tensor");
    check(source.dtype() == x.dtype(), "scatter(): Expected self.dtype to be equal to src.dtype");
    for (int64_t k = 0; k < places.dim(); ++k)
      check(
          (k == d || places.size(k) <= x.size(k)) && places.size(k) <= source.size(k),
          "Expected index {} to be no larger than self {} apart from dimension {} and to be no larger size than src "
          "{}",
          places.shape(), x.shape(), d, source.shape());
    check_places(places, d, x.dim() ? x.size(d) : 1);
  }
  return scatter_reduced(x, dim, places, source, how, include_self, "ScatterReduceBackward0");
}

Tensor index_by(const Tensor& x, int64_t dim, const Tensor& places, const Tensor& source, Text name,
                bool include_self) {
  const How how = how_of(name, false);
  const int d = wrap_dim(dim, x.dim());
  check_slices("index_reduce_", x, d, places, source);
  const int64_t size = x.dim() ? x.size(d) : 1;
  for (const int64_t place : to(places, int64).to_vector<int64_t>())
    check<IndexError>(place >= 0 && place < size, "index out of range in self");
  const Tensor all = line_along(to(places, int64), d, source.dim()).expand(source.shape());
  return scatter_reduced(x, dim, all, source, how, include_self, "IndexReduceBackward0");
}

}  // namespace

Rows scatter_rows() {
  return {
#define GG_REDUCE_INTO(name, source, function, text)                                                 \
  row(kBoth,                                                                                         \
      name "(Tensor input, int dim, Tensor index, Tensor " source                                    \
           ", str reduce, *, bool include_self=True, Tensor? out=None)",                             \
      call<function>)                                                                                \
      .help(text)                                                                                    \
      .out(kSame),                                                                                   \
      row(kMethod,                                                                                   \
          name "_(Tensor input, int dim, Tensor index, Tensor " source                               \
               ", str reduce, *, bool include_self=True)",                                           \
          [](const Tensor& x, int64_t d, const Tensor& i, const Tensor& s, Text how, bool include) { \
            return copy_(x, function(needs_grad(x) ? clone(x) : x, d, i, s, how, include));          \
          })
      GG_REDUCE_INTO("scatter_reduce", "src", scatter_by,
                     "input, its elements at index along dim combined with those of src: sum, prod, mean, "
                     "amax, amin."),
      GG_REDUCE_INTO(
          "index_reduce", "source", index_by,
          "input, its slices at index along dim combined with those of source: prod, mean, amax or "
          "amin."),
#undef GG_REDUCE_INTO
  };
}

}  // namespace glassgrad::GG_HOST
