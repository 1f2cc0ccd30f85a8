// Ops that select, move and sort elements, in sizes for which the kernels of a GPU take several steps, and
// their errors: the same bits as on the CPU.
#include "engine/gpus.h"
#include "engine/random.h"
#include "gpu.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

bool same(const Numbers& a, const Numbers& b) {
  bool all = a.size() == b.size();
  for (size_t i = 0; all && i < a.size(); ++i) all = a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]));
  return all;
}

using Several = std::vector<Tensor>;

// Runs f on the CPU, and twice on copies on the GPU: all results must have the same bits.
void check_both(const std::function<Several(const Several&)>& f, const Several& x) {
  const Several expected = f(x);
  for (int time = 0; time < 2; ++time) {
    const DefaultDevice here(kGpu);
    Several moved;
    for (const Tensor& t : x) moved.push_back(to(t, kGpu));
    const Several y = f(moved);
    REQUIRE(y.size() == expected.size());
    for (size_t k = 0; k < y.size(); ++k) {
      CHECK(y[k].device() == kGpu);
      CHECK(y[k].shape() == expected[k].shape());
      CHECK_MESSAGE(same(numbers(y[k]), numbers(expected[k])), "result ", k);
    }
  }
}

// Returns tensors with few distinct values, including nan and both zeros.
Tensor crowded(const Dims& shape, Generator& g) {
  Tensor x = floor(rand(shape, float32, g) * 40) - 20;
  x = where(x == 7, NAN, x);
  return where(x == -3, -0.0, x);
}
Tensor indices_below(int64_t n, const Dims& shape, Generator& g) { return randint(0, n, shape, g); }

}  // namespace

TEST_CASE("a GPU sorts lines of any length as the CPU does") {
  if (!has_gpu()) return;
  Generator g(3);
  for (const int64_t n : {1, 31, 128, 129, 1000, 1601}) {
    const Tensor x = crowded({3, n}, g);
    for (const bool descending : {false, true})
      check_both(
          [&](const Several& in) {
            const auto [values, places] = sort(in[0], 1, descending);
            const auto across = sort(in[0].t().contiguous().t(), 1, descending);
            return Several{values,
                           places,
                           across.values,
                           across.indices,
                           argsort(in[0], 0, descending),
                           sort(to(where(in[0] == in[0], in[0], 3.0), int64), 1, descending).indices,
                           sort(in[0] > 0, 1, descending).indices,
                           topk(in[0], (n + 1) / 2).values};
          },
          {x});
    check_both(
        [](const Several& in) {
          const Unique y = unique(in[0]);
          return Several{y.values, y.inverse, y.counts, nonzero(in[0] > 0), nonzero(in[0].t())};
        },
        {x});
  }
}

TEST_CASE("a GPU adds what comes to one place in the order of the CPU") {
  if (!has_gpu()) return;
  Generator g(5);
  const Tensor weight = randn({50, 6}, float32, g), ids = indices_below(50, {7, 60}, g);
  const Tensor rows = randn({7, 60, 6}, float32, g), line = randn({600}, float32, g);
  const Tensor places = indices_below(40, {600}, g);
  check_both(
      [](const Several& in) {
        const Tensor w = in[0].detach().requires_grad_();
        const Several first = grad({embedding(w, in[1])}, {w}, {in[2]});
        const Several padded = grad({embedding(w, in[1], 3)}, {w}, {in[2]});
        return Several{embedding(w, in[1]), first[0], padded[0]};
      },
      {weight, ids, rows});
  check_both(
      [](const Several& in) {
        const Tensor none = zeros({40}, float32, in[0].device());
        const Tensor across = zeros({20, 40}, float32, in[0].device());
        return Several{scatter_add(none, 0, in[1], in[0]),
                       scatter_add(across, 1, in[1].view({20, 30}), in[0].view({20, 30})),
                       scatter_add(across, 1, in[1].view({30, 20}).t(), in[0].view({30, 20}).t()),
                       gather(none + 1, 0, in[1])};
      },
      {line, places});
}

TEST_CASE("a GPU adds very many to one place in pieces the same every time") {
  if (!has_gpu()) return;
  Generator g(13);
  const auto result = [](const Several& in, Device device) {
    const Tensor w = to(in[0], device).detach().requires_grad_();
    return grad({embedding(w, to(in[1], device), 2)}, {w}, {to(in[2], device)})[0];
  };
  Several ids = {zeros({3000}, int64), indices_below(4, {3000}, g), indices_below(2, {512}, g)};
  Several around;  // runs of one index that end at a piece's end, one before it and one after it
  for (const int64_t n : {256, 257, 300, 511, 512, 513, 1, 700})
    around.push_back(full({n}, int64_t(around.size()), int64));
  ids.push_back(cat(around));
  for (const Tensor& i : ids)
    for (const DType t : {float32, float64}) {
      const Several in = {randn({9, 3}, t, g), i, randn({i.size(0), 3}, t, g)};
      const Tensor expected = result(in, kCpu), y = result(in, kGpu);
      CHECK(relative_difference(y, expected) <= (t == float32 ? 1e-5 : 1e-12));
      CHECK(same(numbers(y), numbers(result(in, kGpu))));
      const Tensor whole = to(in[2] * 8, int64);  // integer sums are exact in any order
      const Tensor none = zeros({9, 3}, int64), at = i.unsqueeze(1).expand({i.size(0), 3});
      const Tensor added = scatter_add(to(none, kGpu), 0, to(at, kGpu), to(whole, kGpu));
      CHECK(same(numbers(added), numbers(scatter_add(none, 0, at, whole))));
    }
}

TEST_CASE("a GPU writes and adds where indices point in the order of the CPU") {
  if (!has_gpu()) return;
  Generator g(7);
  const Tensor x = randn({40, 5, 30}, float32, g), i = indices_below(40, {300}, g) - 20;
  const Tensor j = indices_below(30, {300}, g), values = randn({300, 5}, float32, g);
  check_both(
      [](const Several& in) {
        Several y = {index(in[0], {in[1], {}, in[2]}), index(in[0], {in[0] > 1}),
                     masked_select(in[0], in[0].select(1, 0).unsqueeze(1) > 0)};
        for (const bool accumulate : {false, true}) {
          y.push_back(index_put_(clone(in[0]), {in[1], {}, in[2]}, in[3], accumulate));
          y.push_back(index_put_(clone(in[0]), {in[1]}, in[3].view({300, 5, 1}), accumulate));
          y.push_back(index_put_(clone(in[0]), {in[0] > 1}, 2.0, accumulate));
          y.push_back(index_put_(clone(in[0]), {{}, {}, in[2]}, 0.5, accumulate));
        }
        return y;
      },
      {x, i, j, values});
  check_both(
      [](const Several& in) {
        const Tensor y = in[0].detach().requires_grad_(), windows = y.as_strided({590, 11}, {1, 1}, 3);
        return grad({windows}, {y}, {in[1]});
      },
      {randn({610}, float32, g), randn({590, 11}, float32, g)});
}

TEST_CASE("indices and targets of a captured graph are read anew") {
  if (!has_gpu()) return;
  Generator g(11);
  const NoGrad no_grad;
  const Tensor weight = to(randn({9, 4}, float32, g), kGpu), ids = to(indices_below(9, {6}, g), kGpu);
  const Tensor target = to(indices_below(4, {6}, g), kGpu);
  Tensor loss, row;
  Captured graph(kGpu);
  graph.capture([&] {
    loss = nll_loss(embedding(weight, ids), target, 2);
    row = index(weight, {ids});
  });
  for (int time = 0; time < 4; ++time) {
    copy_(ids, to(indices_below(9, {6}, g), kGpu));
    copy_(target, to(indices_below(4, {6}, g), kGpu));
    graph.replay();
    const Tensor expected = embedding(weight, ids);
    CHECK(numbers(row) == numbers(expected));
    CHECK(numbers(loss) == numbers(nll_loss(expected, target, 2)));
  }
}

TEST_CASE("indices that lead nowhere are named on a GPU too") {
  if (!has_gpu()) return;
  const Tensor x = to(ones({3, 4}), kGpu), bad = to(tensor({0, 2, 5, 9}), kGpu);
  const std::string none = "IndexError: index out of range in self";
  CHECK(error_of([&] { embedding(x, bad); }) == none);
  CHECK(error_of([&] { index_select(x, 1, bad); }) == none);
  CHECK(error_of([&] { gather(x, 0, bad.unsqueeze(0)); }) ==
        "RuntimeError: index 5 is out of bounds for dimension 0 with size 3");
  CHECK(error_of([&] { scatter_add(x, 0, bad.unsqueeze(0), x); }) ==
        "RuntimeError: index 5 is out of bounds for dimension 0 with size 3");
  CHECK(error_of([&] {
          index(x, {to(tensor({0, 1, 2, 0}), kGpu), bad});
        }) == "IndexError: index 5 is out of bounds for dimension 1 with size 4");
  CHECK(error_of([&] {
          nll_loss(x, to(tensor({0, -7, 4}), kGpu), -7);
        }) == "IndexError: Target 4 is out of bounds.");
  CHECK(contains(error_of([&] { gather(x, 0, tensor({{0}})); }), "at least two devices, cuda:0 and cpu!"));
  CHECK(contains(error_of([&] { cat({x, ones({3, 4})}); }), "at least two devices, cuda:0 and cpu!"));
  CHECK(numbers(index(x, {tensor({1})})) == Numbers{1, 1, 1, 1});  // CPU indices go with every device
  CHECK(contains(error_of([&] { index(ones({3}), {bad}); }), "indices should be either on cpu or"));
}
