// Layers, losses and optimizers beyond the golden cases: errors, tensors that must not change, the trace.
#include "engine/literal.h"
#include "nn/functional.h"
#include "nn/layers.h"
#include "nn/optim.h"
#include "support.h"
#include "thread_count.h"

using namespace glassgrad;
using nn::functional::cross_entropy;
using testing::numbers, testing::Threads;

namespace {

template <class F>
std::string error_of(F f) {
  try {
    f();
  } catch (const Error& e) {
    return std::string(e.kind()) + ": " + e.what();
  }
  return "no error";
}

Tensor ids(const Dims& shape) { return zeros(shape, int64); }
std::vector<Tensor> one_parameter() { return {nn::Parameter(ones(2))}; }

}  // namespace

TEST_CASE("errors of layer norm") {
  const Tensor x = ones({2, 4});
  CHECK(
      error_of([&] { layer_norm(x, 5); }) ==
      "RuntimeError: Given normalized_shape=[5], expected input with shape [*, 5], but got input of size[2, 4]");
  CHECK(error_of([&] { layer_norm(x, Dims()); }) ==
        "RuntimeError: Expected normalized_shape to be at least 1-dimensional, i.e., containing at least one "
        "element, but got normalized_shape = []");
  CHECK(
      error_of([&] { layer_norm(x, 4, ones(3)); }) ==
      "RuntimeError: Expected weight to be of same shape as normalized_shape, but got weight of shape [3] and "
      "normalized_shape = [4]");
  CHECK(error_of([&] { layer_norm(x, 4, ones(4), ones(3)); }) ==
        "RuntimeError: Expected bias to be of same shape as normalized_shape, but got bias of shape [3] and "
        "normalized_shape = [4]");
  CHECK(error_of([&] {
          layer_norm(ids({2, 4}), 4);
        }) == "RuntimeError: \"LayerNormKernelImpl\" not implemented for 'Long'");
  CHECK(error_of([&] { layer_norm(to(x, float64), 4, ones(4)); }) ==
        "RuntimeError: mixed dtype (CPU): all inputs must share same datatype.");
  CHECK(layer_norm(ones({2, 0}), 0).shape() == Dims{2, 0});
}

TEST_CASE("errors of cross entropy") {
  const Tensor x = ones({2, 4}), wide = ones({2, 4, 3, 5});
  CHECK(error_of([&] { cross_entropy(x, ids(3)); }) ==
        "ValueError: Expected input batch_size (2) to match target batch_size (3).");
  CHECK(error_of([&] { cross_entropy(x, ones(2)); }) ==
        "RuntimeError: expected scalar type Long but found Float");
  CHECK(error_of([&] {
          cross_entropy(x, ids({2, 1}));
        }) == "RuntimeError: 0D or 1D target tensor expected, multi-target not supported");
  CHECK(error_of([&] {
          cross_entropy(ones({2, 4, 3}), ids({2, 4}));
        }) == "RuntimeError: Expected target size [2, 3], got [2, 4]");
  CHECK(error_of([&] {
          cross_entropy(wide, ids({2, 4, 5}));
        }) == "RuntimeError: size mismatch (got input: [2, 4, 3, 5] , target: [2, 4, 5]");
  CHECK(
      error_of([&] {
        cross_entropy(wide, ids({2, 4}));
      }) ==
      "RuntimeError: only batches of spatial targets supported (3D tensors) but got targets of dimension: 2");
  CHECK(error_of([&] { cross_entropy(ones(4), ids(1)); }) ==
        "RuntimeError: size mismatch (got input: [4], target: [1])");
  CHECK(error_of([&] { cross_entropy(x, tensor({1, -1})); }) == "IndexError: Target -1 is out of bounds.");
  CHECK(error_of([&] {
          cross_entropy(ids({2, 4}), ids(2));
        }) == "RuntimeError: \"log_softmax_lastdim_kernel_impl\" not implemented for 'Long'");
  CHECK(error_of([&] { cross_entropy(x, ids(2), -100, Reduction::Mean, 2); }) ==
        "RuntimeError: label_smoothing must be between 0.0 and 1.0. Got: 2");
  CHECK(error_of([&] { mse_loss(ids(2), ids(2)); }) ==
        "RuntimeError: \"mse_cpu\" not implemented for 'Long'");
}

TEST_CASE("a batch of ignored targets has no mean and no gradient") {
  const Tensor x = ones({2, 4}).requires_grad_();
  const Tensor loss = cross_entropy(x, tensor({-100, -100}));
  CHECK(std::isnan(loss.item()));
  nll_loss(x, tensor({-100, -100})).backward();
  CHECK(equal(x.grad(), zeros({2, 4})));
  const Tensor nothing = ones({0, 4}).requires_grad_();
  sum(cross_entropy(nothing, ids(0), -100, Reduction::None)).backward();
  CHECK(nothing.grad().shape() == Dims{0, 4});
}

TEST_CASE("cross entropy as one op has the bits of the two") {
  for (const Dims& shape : {Dims{5, 7}, Dims{3, 1000}, Dims{4, 3}})
    for (const DType t : {float32, float64})
      for (const int64_t ignored : {-100, 0}) {
        Generator g(9);
        const Tensor x = randn(shape, t, g).requires_grad_(), y = x.detach().requires_grad_();
        const Tensor targets = arange(shape[0]) * 5 % shape[1];
        const Tensor one = softmax_cross_entropy(x, targets, ignored),
                     two = cross_entropy(y, targets, ignored);
        CHECK(numbers(one) == numbers(two));
        (one * 0.3).backward();
        (two * 0.3).backward();
        CHECK(numbers(x.grad()) == numbers(y.grad()));
      }
  CHECK(error_of([] { softmax_cross_entropy(ones(4), tensor(2)); }) ==
        "ValueError: softmax_cross_entropy: logits must have the shape (N, C), but have [4]");
}

namespace {

// The input, weight and bias of linear and gelu, twice.
struct TwoLayers {
  std::vector<Tensor> x, y;

  TwoLayers(const Dims& shape, int64_t width, DType t, Generator& g) {
    for (const Dims& size : {shape, {width, shape[shape.n - 1]}, Dims{width}}) {
      x.push_back(randn(size, t, g).requires_grad_());
      y.push_back(clone(x.back().detach()).requires_grad_());
    }
  }
};

Tensor of_squares(const std::vector<Tensor>& all) {
  return sum(square(all[0])) + sum(square(all[1])) + sum(square(all[2]));
}

void check_linear_gelu(const Dims& shape, DType t, const char* approximate) {
  Generator g(10);
  const auto [x, y] = TwoLayers(shape, 101, t, g);
  const Tensor one = linear_gelu(x[0], x[1], x[2], approximate),
               two = gelu(linear(y[0], y[1], y[2]), approximate);
  CHECK(std::string(one.grad_fn_name()) == "LinearGeluBackward0");
  CHECK(numbers(one) == numbers(two));
  const auto first = grad({sum(square(one))}, x, {}, true, true),
             expected = grad({sum(square(two))}, y, {}, true, true);
  const auto second = grad({of_squares(first)}, x, {}, true),
             expected_second = grad({of_squares(expected)}, y, {}, true);
  for (size_t i = 0; i < x.size(); ++i) {
    CHECK(numbers(first[i]) == numbers(expected[i]));
    const double largest = max(abs(expected_second[i])).item();
    CHECK(max(abs(second[i] - expected_second[i])).item() <= (t == float32 ? 1e-5 : 1e-13) * largest);
  }
  // Only the last backward may overwrite the saved slopes.
  for (const bool retain_graph : {true, true, false}) {
    const auto a = grad({sum(square(one))}, x, {}, retain_graph),
               b = grad({sum(square(two))}, y, {}, retain_graph);
    for (size_t i = 0; i < x.size(); ++i) {
      CHECK(numbers(a[i]) == numbers(b[i]));
      CHECK(a[i].strides() == b[i].strides());
    }
  }
}

}  // namespace

TEST_CASE("linear_gelu has the bits of a layer and its gelu") {
  for (const int threads : {1, 2}) {
    const Threads now(threads);
    for (const DType t : {float32, float64})
      for (const char* approximate : {"none", "tanh"})
        for (const Dims& shape : {Dims{7, 37}, {153, 5}, {3, 41, 67}, {1, 2, 3, 130}})
          check_linear_gelu(shape, t, approximate);
  }
}

TEST_CASE("the gradient of logits takes their place if nobody else has them") {
  const Tensor x = randn({4, 6}).requires_grad_(), targets = tensor({1, 5, 0, 3});
  const Tensor expected = grad({cross_entropy(x * 2, targets)}, {x})[0];
  for (const bool held : {false, true}) {
    const void* place = nullptr;
    Tensor loss, logits = x * 2;
    const void* const before = logits.raw().data;
    const Tensor values = clone(logits.detach());
    logits.register_hook([&](const Tensor& g) {
      place = g.raw().data;
      return Tensor();
    });
    loss = softmax_cross_entropy(logits, targets);
    if (!held) logits = {};
    loss.backward({}, true);  // a second backward may follow, so the logits must stay
    CHECK(place != before);
    x.set_grad({});
    loss.backward();
    CHECK((place == before) == !held);
    CHECK(numbers(x.grad()) == numbers(expected));
    if (held) CHECK(numbers(logits) == numbers(values));
    x.set_grad({});
  }
}

TEST_CASE("errors of layers") {
  CHECK(error_of([] { nn::Embedding(3, 2, 5); }) ==
        "AssertionError: Padding_idx must be within num_embeddings");
  CHECK(error_of([] { nn::Embedding(3, 2, -4); }) ==
        "AssertionError: Padding_idx must be within num_embeddings");
  CHECK(error_of([] { nn::Dropout(7.5); }) ==
        "ValueError: dropout probability has to be between 0 and 1, but got 7.5");
  CHECK(error_of([] { nn::GELU("foo")(ones(2)); }) ==
        "RuntimeError: approximate argument must be either none or tanh.");
}

TEST_CASE("layers without some of their parameters") {
  CHECK(nn::Embedding(3, 2, -1).repr() == "Embedding(3, 2, padding_idx=2)");
  CHECK(nn::LayerNorm({3, 4}, 1e-5, true, false).named_parameters().size() == 1);
  const nn::LayerNorm plain({3, 4}, 1e-5, false);
  CHECK(plain.repr() == "LayerNorm((3, 4), eps=1e-05, elementwise_affine=False)");
  CHECK(plain.named_parameters().empty());
  const Tensor x = ones(2);
  CHECK(nn::Identity()(x).ref() == x.ref());
  CHECK(nn::Sequential()(x).ref() == x.ref());
}

TEST_CASE("the gradient of a matrix lies in memory as the matrix") {
  Generator g(1);
  const Tensor x = randn({5, 3}, float32, g), weight = randn({4, 3}, float32, g).requires_grad_();
  const Tensor bias = randn({4}, float32, g), turned = randn({3, 5}, float32, g).t().detach();
  turned.requires_grad_();
  for (const Tensor& b : {Tensor(), bias}) {
    weight.set_grad({}), turned.set_grad({});
    (sum(square(linear(x, weight, b))) + sum(square(linear(turned, weight, b)))).backward();
    CHECK(weight.grad().is_contiguous());
    CHECK(turned.grad().strides() == turned.strides());
    CHECK(!weight.grad()->base);
    CHECK(!turned.grad()->base);
  }
}

TEST_CASE("the padding row of an embedding is zero and stays so") {
  const nn::Embedding e(4, 3, 1);
  sum(e(tensor({0, 1, 1, 2}))).backward();
  CHECK(equal(e.weight[1], zeros(3)));
  CHECK(equal(e.weight.grad(), tensor({{1., 1., 1.}, {0., 0., 0.}, {1., 1., 1.}, {0., 0., 0.}})));
}

TEST_CASE("errors of optimizers") {
  using namespace nn::optim;
  CHECK(error_of([] { AdamW(std::vector<Tensor>{}); }) ==
        "ValueError: optimizer got an empty parameter list");
  CHECK(error_of([] { AdamW({}, -1); }) == "ValueError: Invalid learning rate: -1.0");
  CHECK(error_of([] { AdamW(one_parameter(), 1e-3, {}, -1e-3); }) ==
        "ValueError: Invalid epsilon value: -0.001");
  CHECK(error_of([] {
          AdamW(one_parameter(), 1e-3, {1, 0.9});
        }) == "ValueError: Invalid beta parameter at index 0: 1.0");
  CHECK(error_of([] {
          Adam(one_parameter(), 1e-3, {0.1, 1.5});
        }) == "ValueError: Invalid beta parameter at index 1: 1.5");
  CHECK(error_of([] { Adam(one_parameter(), 1e-3, {}, 1e-8, -1); }) ==
        "ValueError: Invalid weight_decay value: -1.0");
  CHECK(error_of([] { SGD(one_parameter(), 1e-3, -1); }) == "ValueError: Invalid momentum value: -1.0");
  CHECK(error_of([] { SGD(one_parameter(), 1e-3, 0, 0, 0, true); }) ==
        "ValueError: Nesterov momentum requires a momentum and zero dampening");
  CHECK(error_of([] { SGD({one_parameter()[0] * 2}); }) == "ValueError: can't optimize a non-leaf Tensor");
  const auto shared = one_parameter();
  SGD sgd(shared);
  CHECK(error_of([&] {
          sgd.add_param_group({shared, 0.1, 0});
        }) == "ValueError: some parameters appear in more than one parameter group");
}

TEST_CASE("a step goes where a gradient is and at the rate of its group") {
  const nn::Parameter a(ones(2)), b(ones(2)), c(ones({3, 2}).t());
  nn::optim::SGD sgd({a, b}, 0.5);
  sgd.add_param_group({{c}, 0.25, 0});
  a.set_grad(ones(2));
  c.set_grad(ones({2, 3}));
  const uint32_t before = a.version();
  sgd.step();
  CHECK(equal(a, full(2, 0.5)));
  CHECK(equal(b, ones(2)));
  CHECK(equal(c, full({2, 3}, 0.75)));
  CHECK(a.version() == before + 1);
  CHECK(a.is_leaf());
  sgd.param_groups()[0].lr = 0.125;
  sgd.step();
  CHECK(equal(a, full(2, 0.375)));
  sgd.zero_grad();
  CHECK_FALSE(bool(a.grad()));
  CHECK_FALSE(bool(c.grad()));
}

TEST_CASE("the norm of a sum whose weight and bias alone need a gradient") {
  const Tensor x = ones({2, 3}, float64), branch = arange(0., 6., 1., float64).view({2, 3});
  const Tensor weight = ones(3, float64).requires_grad_(), bias = zeros(3, float64).requires_grad_();
  const SumAndNormed y = add_layer_norm(x, branch, {3}, weight, bias);
  (sum(y.sum * 2) + sum(y.normed)).backward();
  CHECK(testing::close(bias.grad(), {2, 2, 2}));
  CHECK(testing::close(weight.grad(), {-2.4494713719, 0, 2.4494713719}, 1e-9));
}

TEST_CASE("a row is normalised in the same bits alone and among others") {
  for (const DType t : {float32, float64})
    for (const int64_t n : {1, 3, 8, 13, 16, 64, 300}) {
      const Tensor x = to(randn({11, n}) * 3, t), y = layer_norm(x, n);
      for (int64_t row = 0; row < 11; ++row)
        CHECK(numbers(layer_norm(x.narrow(0, row, 1), n)) == numbers(y.narrow(0, row, 1)));
    }
}

TEST_CASE("many tensors at once on the CPU are those one by one") {
  std::vector<Tensor> all;
  for (const Dims& shape : {Dims{}, Dims{7}, Dims{3, 5}, Dims{40, 30}}) all.push_back(randn(shape));
  const Tensor together = norms(all);
  for (size_t i = 0; i < all.size(); ++i) CHECK(together[int64_t(i)].item() == norm(all[i]).item());
  for (const double factor : {0.3, 1.0}) {
    std::vector<Tensor> scaled;
    for (const Tensor& x : all) scaled.push_back(clone(x));
    mul_all_(scaled, full({}, factor));
    for (size_t i = 0; i < all.size(); ++i) {
      CHECK(numbers(scaled[i]) == numbers(all[i] * full({}, factor)));
      CHECK(scaled[i].version() == 1);
    }
  }
}
