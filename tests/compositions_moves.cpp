// The steps of random programs, each in C++ and in Python.
#include "compositions.h"
#include "engine/ops.h"

using namespace glassgrad;

namespace testing {
namespace {

using T = const Tensor&;
using N = const MoveArguments&;

Tensor pattern(T x) { return eq(remainder(arange(x.numel()), 2), 0).view(x.shape()); }  // True, False, …
Tensor places(N n) { return from_values(std::vector<int64_t>{n.k, n.last, n.k}, 3); }
Tensor picked(T x, N n) {
  std::vector<Tensor> all(static_cast<size_t>(n.d));
  all.push_back(places(n));
  return index(x, all);
}
Tensor put(T x, T y, N n) {
  return index_put_(x, {from_values(std::vector<int64_t>{0, n.last}, 2)}, y, n.flag);
}

}  // namespace

const std::vector<Move>& moves() {
  static const std::vector<Move> all = {
      // ---- views
      {kView, "{0}.transpose({d}, {e})", [](T x, T, N n) { return x.transpose(n.d, n.e); }},
      {kView, "{0}.t()", [](T x, T, N) { return x.t(); }},
      {kView, "{0}.mT", [](T x, T, N) { return x.transpose(-2, -1); }},
      {kView, "{0}.view(-1)", [](T x, T, N) { return x.view({-1}); }},
      {kView, "{0}.reshape(-1)", [](T x, T, N) { return x.reshape({-1}); }},
      {kView, "{0}.reshape(2, -1)", [](T x, T, N) { return x.reshape({2, -1}); }},
      {kView, "{0}.flatten()", [](T x, T, N) { return x.flatten(); }},
      {kView, "{0}[...]", [](T x, T, N) { return x.alias(); }},
      {kView, "{0}.squeeze()", [](T x, T, N) { return x.squeeze(); }},
      {kView, "{0}.squeeze({d})", [](T x, T, N n) { return x.squeeze(n.d); }},
      {kView, "{0}.unsqueeze({d})", [](T x, T, N n) { return x.unsqueeze(n.d); }},
      {kView, "{0}.unsqueeze(-1)", [](T x, T, N) { return x.unsqueeze(-1); }},
      {kView, "{0}.expand(2, *{0}.shape)",
       [](T x, T, N) {
         Dims to{2};
         for (const int64_t size : x.shape()) to.push(size);
         return x.expand(to);
       }},
      {kView, "{0}.expand(3, -1)",
       [](T x, T, N) {
         return x.expand({3, -1});
       }},
      {kView | kAlong, "{0}.select({d}, {k})", [](T x, T, N n) { return x.select(n.d, n.k); }},
      {kView | kAlong, "{0}[{:}{k}]", [](T x, T, N n) { return x.select(n.d, n.k); }},
      {kView | kAlong, "{0}[{:}{k}:]", [](T x, T, N n) { return x.slice(n.d, n.k, {}); }},
      {kView | kAlong, "{0}[{:}::2]", [](T x, T, N n) { return x.slice(n.d, {}, {}, 2); }},
      {kView | kAlong, "{0}.narrow({d}, {k}, 1)", [](T x, T, N n) { return x.narrow(n.d, n.k, 1); }},
      {kView | kAlong, "{0}.unbind({d})[{k}]", [](T x, T, N n) { return x.unbind(n.d)[size_t(n.k)]; }},
      {kView | kAlong, "{0}.chunk(2, {d})[0]", [](T x, T, N n) { return x.chunk(2, n.d)[0]; }},
      {kView, "{0}.diagonal(0, {d}, {e})", [](T x, T, N n) { return x.diagonal(0, n.d, n.e); }},
      // ---- geometry in place
      {kGeometry, "{0}.t_()", [](T x, T, N) { return view_in_place(x, [](T t) { return t.t(); }); }},
      {kGeometry, "{0}.transpose_({d}, {e})",
       [](T x, T, N n) { return view_in_place(x, [&](T t) { return t.transpose(n.d, n.e); }); }},
      {kGeometry, "{0}.swapaxes_({d}, {e})",
       [](T x, T, N n) { return view_in_place(x, [&](T t) { return t.transpose(n.d, n.e); }); }},
      {kGeometry, "{0}.squeeze_()", [](T x, T, N) { return view_in_place(x, [](T t) { return t.squeeze(); }); }},
      {kGeometry, "{0}.squeeze_({d})",
       [](T x, T, N n) { return view_in_place(x, [&](T t) { return t.squeeze(n.d); }); }},
      {kGeometry, "{0}.unsqueeze_({d})",
       [](T x, T, N n) { return view_in_place(x, [&](T t) { return t.unsqueeze(n.d); }); }},
      // ---- numbers in place
      {kWrite, "{0} += {1}", [](T x, T y, N) { return add_(x, y); }},
      {kWrite, "{0}.add_({1})", [](T x, T y, N) { return add_(x, y); }},
      {kWrite, "{0}.sub_({1})", [](T x, T y, N) { return sub_(x, y); }},
      {kWrite, "{0} *= {1}", [](T x, T y, N) { return mul_(x, y); }},
      {kWrite, "{0}.mul_({1})", [](T x, T y, N) { return mul_(x, y); }},
      {kWrite, "{0} *= 2", [](T x, T, N) { return mul_(x, 2); }},
      {kWrite, "{0}.copy_({1})", [](T x, T y, N) { return copy_(x, y); }},
      {kWrite, "{0}.zero_()", [](T x, T, N) { return zero_(x); }},
      {kWrite, "{0}.fill_(0.5)", [](T x, T, N) { return fill_(x, 0.5); }},
      {kWrite, "{0}.sin_()", [](T x, T, N) { return sin_(x); }},
      {kWrite, "{0}.tanh_()", [](T x, T, N) { return tanh_(x); }},
      {kWrite, "{0}.exp_()", [](T x, T, N) { return exp_(x); }},
      {kWrite, "{0}.pow_(2)", [](T x, T, N) { return pow_(x, 2); }},
      {kWrite | kKink, "{0}.clamp_(-0.5, 1)", [](T x, T, N) { return clamp_(x, -0.5, 1); }},
      {kWrite | kKink, "{0}.relu_()", [](T x, T, N) { return relu_(x); }},
      {kWrite, "{0}.masked_fill_(pattern({0}), 0.5)", [](T x, T, N) { return masked_fill_(x, pattern(x), 0.5); }},
      {kWrite | kAlong, "{0}[{:}{k}] *= 3", [](T x, T, N n) { return mul_(x.select(n.d, n.k), 3); }},
      {kWrite | kAlong, "{0}[{:}{k}:] *= 3", [](T x, T, N n) { return mul_(x.slice(n.d, n.k, {}), 3); }},
      {kWrite | kAlong, "{0}[{:}{k}] = {1}", [](T x, T y, N n) { return copy_(x.select(n.d, n.k), y); }},
      {kWrite | kAlong, "{0}[{:}::2] += {1}", [](T x, T y, N n) { return add_(x.slice(n.d, {}, {}, 2), y); }},
      {kWrite | kAlong, "{0}.index_put_((torch.tensor([0, {0}.size(0) - 1]),), {1}, accumulate={flag})",
       [](T x, T y, N n) {
         return put(x, y, {.last = x.size(0) - 1, .flag = n.flag});
       }},
      // ---- results with numbers of their own
      {kResult, "{0} + {1}", [](T x, T y, N) { return x + y; }},
      {kResult, "{1} - {0}", [](T x, T y, N) { return y - x; }},
      {kResult, "{0} * {1}", [](T x, T y, N) { return x * y; }},
      {kResult, "{0} * {0}", [](T x, T, N) { return x * x; }},
      {kResult, "{0} * 0.5", [](T x, T, N) { return x * 0.5; }},
      {kResult, "1 - {0}", [](T x, T, N) { return 1 - x; }},
      {kResult, "torch.where(pattern({0}), {0}, {1})", [](T x, T y, N) { return where(pattern(x), x, y); }},
      {kResult, "torch.matmul({0}, {1})", [](T x, T y, N) { return matmul(x, y); }},
      {kResult, "torch.cat([{0}, {1}], {d})",
       [](T x, T y, N n) {
         return cat({x, y}, n.d);
       }},
      {kResult, "torch.stack([{0}, {1}], {d})",
       [](T x, T y, N n) {
         return stack({x, y}, n.d);
       }},
      {kResult, "{0}.sin()", [](T x, T, N) { return sin(x); }},
      {kResult, "{0}.tanh()", [](T x, T, N) { return tanh(x); }},
      {kResult, "{0}.exp()", [](T x, T, N) { return exp(x); }},
      {kResult, "{0}.square()", [](T x, T, N) { return square(x); }},
      {kResult, "{0}.clone()", [](T x, T, N) { return clone(x); }},
      {kResult, "{0}.contiguous()", [](T x, T, N) { return x.contiguous(); }},
      {kResult | kKink, "{0}.relu()", [](T x, T, N) { return relu(x); }},
      {kResult | kKink, "{0}.abs()", [](T x, T, N) { return abs(x); }},
      {kResult | kKink, "{0}.clamp(-0.5, 1)", [](T x, T, N) { return clamp(x, -0.5, 1); }},
      {kResult | kKink, "torch.maximum({0}, {1})", [](T x, T y, N) { return maximum(x, y); }},
      {kResult, "{0}.sum()", [](T x, T, N) { return sum(x); }},
      {kResult, "{0}.sum({d}, {flag})", [](T x, T, N n) { return sum(x, n.d, n.flag); }},
      {kResult, "{0}.mean({d}, {flag})", [](T x, T, N n) { return mean(x, n.d, n.flag); }},
      {kResult, "{0}.prod({d}, {flag})", [](T x, T, N n) { return prod(x, n.d, n.flag); }},
      {kResult, "{0}.logsumexp({d}, {flag})", [](T x, T, N n) { return logsumexp(x, n.d, n.flag); }},
      {kResult, "{0}.cumsum({d})", [](T x, T, N n) { return cumsum(x, n.d); }},
      {kResult, "{0}.softmax({d})", [](T x, T, N n) { return softmax(x, n.d); }},
      {kResult, "torch.tril({0})", [](T x, T, N) { return tril(x); }},
      {kResult | kKink | kAlong, "{0}.amax({d}, {flag})", [](T x, T, N n) { return amax(x, n.d, n.flag); }},
      {kResult | kKink | kAlong, "{0}.max({d}, {flag})[0]",
       [](T x, T, N n) { return max(x, n.d, n.flag).values; }},
      {kResult | kKink | kAlong, "{0}.sort({d})[0]", [](T x, T, N n) { return sort(x, n.d).values; }},
      {kResult | kAlong, "{0}.index_select({d}, torch.tensor([{k}, {last}, {k}]))",
       [](T x, T, N n) { return index_select(x, n.d, places(n)); }},
      {kResult | kAlong, "{0}[{:}torch.tensor([{k}, {last}, {k}])]", [](T x, T, N n) { return picked(x, n); }},
      {kResult, "{0}[pattern({0})]", [](T x, T, N) { return masked_select(x, pattern(x)); }},
      {kResult, "{0}.masked_fill(pattern({0}), 0.25)", [](T x, T, N) { return masked_fill(x, pattern(x), 0.25); }},
      // ---- steps that differences cannot follow
      {kPyTorchOnly, "{0}.as_strided((2,), (1,), {0}.storage_offset())",
       [](T x, T, N) {
         return x.as_strided({2}, {1}, 0);
       }},
      {kPyTorchOnly, "{0}.detach()", [](T x, T, N) { return x.detach(); }},
      {kPyTorchOnly, "{0}.data", [](T x, T, N) { return x.data(); }},
      {kPyTorchOnly, "without_graph(lambda: {0}.view(-1))",
       [](T x, T, N) {
         const NoGrad no_graph;
         return x.view({-1});
       }},
      {kPyTorchOnly, "without_graph(lambda: {0}[...])",
       [](T x, T, N) {
         const NoGrad no_graph;
         return x.alias();
       }},
      {kPyTorchOnly | kWrite, "without_graph(lambda: {0}.mul_(2))",
       [](T x, T, N) {
         const NoGrad no_graph;
         return mul_(x, 2);
       }},
      {kPyTorchOnly | kWrite, "without_graph(lambda: {0}.add_({1}))",
       [](T x, T y, N) {
         const NoGrad no_graph;
         return add_(x, y);
       }},
      {kPyTorchOnly | kGeometry, "without_graph(lambda: {0}.unsqueeze_({d}))",
       [](T x, T, N n) {
         const NoGrad no_graph;
         return view_in_place(x, [&](T t) { return t.unsqueeze(n.d); });
       }},
      {kPyTorchOnly | kGeometry, "without_graph(lambda: {0}.t_())",
       [](T x, T, N) {
         const NoGrad no_graph;
         return view_in_place(x, [](T t) { return t.t(); });
       }},
      {kPyTorchOnly | kWrite, "{0}.requires_grad_()", [](T x, T, N) { return x.requires_grad_(); }},
      {kPyTorchOnly | kWrite, "{0}.requires_grad_(False)", [](T x, T, N) { return x.requires_grad_(false); }},
      {kPyTorchOnly | kWrite, "{0}.data = {1}.clone()", [](T x, T y, N) { return set_data(x, clone(y)), x; }},
  };
  return all;
}

}  // namespace testing
