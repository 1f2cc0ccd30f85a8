// Values of ops at the edges: NaN, infinities, empty tensors, integers, ties.
#include <limits>

#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

constexpr double kInf = INFINITY;
bool all_nan(const Tensor& x) {
  for (const double v : numbers(x))
    if (!std::isnan(v)) return false;
  return x.numel() > 0;
}

}  // namespace

TEST_CASE("NaN passes through") {
  const Tensor x = tensor({NAN, -1., 2.});
  for (const Tensor& y :
       {relu(x), clamp(x, -0.5, 0.5), maximum(x, zeros(3)), minimum(zeros(3), x), abs(x), exp(x), neg(x),
        sigmoid(x), gelu(x, "none"), silu(x), leaky_relu(x), floor(x), round(x), sign(x)})
    CHECK_MESSAGE(std::isnan(numbers(y)[0]) == !equal(y, sign(x)), repr(y));
  CHECK(all_nan(max(x)));
  CHECK(all_nan(min(x)));
  CHECK(all_nan(sum(x)));
  CHECK(all_nan(amax(x, 0)));
  CHECK(all_nan(max(x, 0).values));
  CHECK(max(x, 0).indices.item<int64_t>() == 0);
  CHECK(argmax(tensor({1., NAN, 3., NAN})).item<int64_t>() == 1);
  CHECK(argmin(tensor({1., NAN, 3.})).item<int64_t>() == 1);
  CHECK(all_nan(softmax(x, 0)));
  CHECK(all_nan(cumsum(x, 0)));
  CHECK(numbers(x == x) == Numbers{0, 1, 1});
  CHECK(numbers(isnan(x)) == Numbers{1, 0, 0});
  CHECK(std::isnan(numbers(sort(x).values)[2]));  // NaN is the largest
  CHECK(std::isnan(numbers(topk(x, 1).values)[0]));
}

TEST_CASE("gradients stay clear of inf times 0") {
  const Tensor x = tensor({-kInf, -1., kInf}, float64).requires_grad_();
  sum(relu(x)).backward();
  CHECK(numbers(x.grad()) == Numbers{0, 0, 1});
  x.set_grad({});
  sum(masked_fill(x, isinf(x), 0)).backward();
  CHECK(numbers(x.grad()) == Numbers{0, 1, 0});
  x.set_grad({});
  sum(where(isinf(x), zeros(3, float64), x * 2)).backward();
  CHECK(numbers(x.grad()) == Numbers{0, 2, 0});
  x.set_grad({});
  sum(clamp(x, -2., 2.)).backward();
  CHECK(numbers(x.grad()) == Numbers{0, 1, 0});
}

TEST_CASE("softmax of extremes") {
  CHECK(numbers(softmax(tensor({1., -kInf, -kInf}), 0)) == Numbers{1, 0, 0});
  CHECK(all_nan(softmax(tensor({-kInf, -kInf}), 0)));
  CHECK(all_nan(softmax(full({2, 9}, -kInf), -1)));
  CHECK(all_nan(softmax(tensor({kInf, 1.}), 0)));
  CHECK(numbers(softmax(tensor({1e4, 0.}), 0)) == Numbers{1, 0});
  CHECK(numbers(log_softmax(tensor({1e4, 0.}), 0)) == Numbers{0, -1e4});
  CHECK(numbers(logsumexp(tensor({-kInf, -kInf}), 0)) == Numbers{-kInf});
  CHECK(numbers(logsumexp(tensor({1e4, 1e4}, float64), 0)) == Numbers{1e4 + std::log(2.)});
  CHECK(error_of([] {
          softmax(tensor({1, 2}), 0);
        }) == "RuntimeError: \"softmax_lastdim_kernel_impl\" not implemented for 'Long'");
}

TEST_CASE("a gradient of minus zero keeps its sign through a slice") {
  const Tensor x = leaf({1, 2, 3});
  sum(x.slice(0, 0, 2) * -0.0).backward();
  CHECK(std::signbit(x.grad()[0].item()));
  CHECK_FALSE(std::signbit(x.grad()[2].item()));
}

TEST_CASE("infinities and poles") {
  CHECK(numbers(exp(tensor({1000., -1000.}))) == Numbers{kInf, 0});
  CHECK(numbers(log(tensor({0.}))) == Numbers{-kInf});
  CHECK(all_nan(log(tensor({-1.}))));
  CHECK(all_nan(sqrt(tensor({-1.}))));
  CHECK(numbers(tensor({1., -1.}) / 0) == Numbers{kInf, -kInf});
  CHECK(all_nan(tensor({0.}) / 0));
  CHECK(std::signbit(numbers(relu(tensor({-0.})))[0]));  // for equal numbers, relu returns the operand, not 0
  CHECK(numbers(sigmoid(tensor({-1000., 1000.}))) == Numbers{0, 1});
  const Tensor x = leaf({0., 4.});
  sum(sqrt(x)).backward();
  CHECK(numbers(x.grad()) == Numbers{kInf, 0.25});
}

TEST_CASE("subgradients at the kinks") {
  const auto slope = [](auto f, double at) {
    const Tensor x = leaf(at);
    f(x).backward();
    return x.grad().item();
  };
  CHECK(slope([](auto& x) { return relu(x); }, 0) == 0);
  CHECK(slope([](auto& x) { return abs(x); }, 0) == 0);
  CHECK(slope([](auto& x) { return clamp(x, 0, 1); }, 0) == 1);
  CHECK(slope([](auto& x) { return clamp(x, 0, 1); }, 1) == 1);
  CHECK(slope([](auto& x) { return leaky_relu(x, 0.25); }, 0) == 0.25);
  CHECK(slope([](auto& x) { return norm(x); }, 0) == 0);
  CHECK(slope([](auto& x) { return round(x); }, 0.3) == 0);
  CHECK(slope([](auto& x) { return sign(x); }, 0.3) == 0);
  CHECK(slope([](auto& x) { return pow(x, 0); }, 0) == 0);
}

TEST_CASE("ties share the gradient or the first takes it") {
  const auto gradient = [](auto f) {
    const Tensor x = leaf({3, 1, 3, 2});
    sum(f(x)).backward();
    return numbers(x.grad());
  };
  CHECK(gradient([](auto& x) { return max(x); }) == Numbers{0.5, 0, 0.5, 0});
  CHECK(gradient([](auto& x) { return min(x); }) == Numbers{0, 1, 0, 0});
  CHECK(gradient([](auto& x) { return amax(x, 0); }) == Numbers{0.5, 0, 0.5, 0});
  CHECK(gradient([](auto& x) { return max(x, 0).values; }) == Numbers{1, 0, 0, 0});
  CHECK(gradient([](auto& x) { return maximum(x, full(4, 3.)); }) == Numbers{0.5, 0, 0.5, 0});
  CHECK(max(tensor({3, 1, 3}), 0).indices.item<int64_t>() == 0);
  CHECK(argmax(tensor({3, 1, 3})).item<int64_t>() == 0);
}

TEST_CASE("integer arithmetic") {
  const Tensor a = tensor({7, -7, 7, -7}), b = tensor({2, 2, -2, -2});
  CHECK(numbers(floor_divide(a, b)) == Numbers{3, -4, -4, 3});
  CHECK(numbers(remainder(a, b)) == Numbers{1, 1, -1, -1});
  CHECK(numbers(fmod(a, b)) == Numbers{1, -1, 1, -1});
  CHECK(numbers(floor_divide(tensor({7., -7.}), 2)) == Numbers{3, -4});
  CHECK(error_of([&] { floor_divide(a, 0); }) == "RuntimeError: ZeroDivisionError");
  CHECK(error_of([&] { remainder(a, 0); }) == "RuntimeError: ZeroDivisionError");
  CHECK(error_of([&] { pow(a, -1); }) ==
        "RuntimeError: Integers to negative integer powers are not allowed.");
  const int64_t lowest = std::numeric_limits<int64_t>::min();
  const Tensor m = full(1, lowest);
  CHECK((m - 1).item<int64_t>() == std::numeric_limits<int64_t>::max());  // wraps around
  CHECK((-m).item<int64_t>() == lowest);
  CHECK(abs(m).item<int64_t>() == lowest);
  CHECK(floor_divide(m, -1).item<int64_t>() == lowest);
  CHECK(remainder(m, -1).item<int64_t>() == 0);
  CHECK((m * 3).item<int64_t>() == lowest);
  CHECK(pow(tensor({3}), 39).item<int64_t>() == 4052555153018976267);
  CHECK(numbers(tensor({true, true}) + tensor({true, false})) == Numbers{1, 1});
  CHECK(numbers(tensor({true, true}) * tensor({true, false})) == Numbers{1, 0});
  CHECK(contains(error_of([] { tensor({true}) - tensor({true}); }),
                 "Subtraction, the `-` operator, with two bool tensors"));
  CHECK(numbers(round(tensor({0.5, 1.5, -0.5, -1.5}))) == Numbers{0, 2, 0, -2});
  const int64_t most = INT64_MAX;
  CHECK(pow(tensor({3}), most).item<int64_t>() == -6148914691236517205);
  CHECK(pow_(tensor({3}), most).item<int64_t>() == -6148914691236517205);
}

TEST_CASE("empty tensors") {
  const Tensor e = empty({0, 3});
  CHECK(sum(e).item() == 0);
  CHECK(prod(e).item() == 1);
  CHECK(all_nan(mean(e)));
  CHECK(numbers(sum(e, 0)) == Numbers{0, 0, 0});
  CHECK(sum(e, 1).shape() == Dims{0});
  CHECK(all_nan(mean(e, 0)));
  CHECK(all(e > 0).item() == 1);
  CHECK(any(e > 0).item() == 0);
  CHECK(numbers(matmul(empty({2, 0}), empty({0, 3}))) == Numbers(6, 0));
  CHECK(matmul(empty({0, 2}), ones({2, 3})).shape() == Dims{0, 3});
  CHECK(bmm(empty({0, 2, 3}), empty({0, 3, 4})).shape() == Dims{0, 2, 4});
  CHECK(dot(empty(0), empty(0)).item() == 0);
  CHECK(softmax(e, 0).shape() == Dims{0, 3});
  CHECK(cat({e, ones({2, 3})}).shape() == Dims{2, 3});
  CHECK(cat({empty(0), ones({2, 3})}).shape() == Dims{2, 3});
  CHECK(nonzero(e).shape() == Dims{0, 2});
  CHECK(sort(e).values.shape() == Dims{0, 3});
  CHECK((e + 1).shape() == Dims{0, 3});
  CHECK((e + ones({1, 3})).shape() == Dims{0, 3});
  CHECK(embedding(ones({5, 2}), empty({0}, int64)).shape() == Dims{0, 2});
  CHECK(contains(error_of([&] { max(e); }),
                 "max(): Expected reduction dim to be specified for input.numel() == 0."));
  CHECK(contains(error_of([&] { max(e, 0); }), "Expected reduction dim 0 to have non-zero size."));
  CHECK(max(e, 1).values.shape() == Dims{0});
  CHECK(contains(error_of([&] { argmax(e); }),
                 "argmax(): Expected reduction dim to be specified for input.numel() == 0."));
  CHECK(error_of([] {
          multinomial(zeros({3, 0}), 2, true);
        }) == "RuntimeError: invalid multinomial distribution (sum of probabilities <= 0)");
  CHECK(error_of([] { roll(tensor(1.), 1, 0); }) ==
        "IndexError: Dimension specified as 0 but tensor has no dimensions");
}

TEST_CASE("reductions over dims") {
  const Tensor x = arange(0., 24., 1., float64).view({2, 3, 4});
  CHECK(sum(x).item() == 276);
  CHECK(numbers(sum(x, {0, 2})) == Numbers{60, 92, 124});
  CHECK(sum(x, {0, 2}, true).shape() == Dims{1, 3, 1});
  CHECK(sum(x, Dims{}).shape() == Dims{});  // no dims: sums over all of them
  CHECK(numbers(mean(x, -1)[0]) == Numbers{1.5, 5.5, 9.5});
  CHECK(close(var(x, Dims{2})[0], Numbers(3, 5. / 3)));
  CHECK(close(var(x, Dims{2}, 0)[0], Numbers(3, 1.25)));
  CHECK(close(glassgrad::std(x), {std::sqrt(50.)}));
  CHECK(all_nan(var(ones(1))));
  CHECK(numbers(prod(x, 0)[0]) == Numbers{0, 13, 28, 45});
  CHECK(close(norm(x), {std::sqrt(4324.)}));
  CHECK(numbers(cumsum(x, 0)[1][2]) == Numbers{28, 30, 32, 34});
  CHECK(numbers(amax(x, {0, 1})) == Numbers{20, 21, 22, 23});
  CHECK(numbers(argmin(x, 1)[0]) == Numbers{0, 0, 0, 0});
  CHECK(argmax(x, 1, true).shape() == Dims{2, 1, 4});
  CHECK(contains(error_of([&] { sum(x, {0, 0}); }), "dim 0 appears multiple times in the list of dims"));
  CHECK(error_of([] {
          mean(tensor({1, 2}));
        }) ==
        "RuntimeError: mean(): could not infer output dtype. Input dtype must be either a floating point or "
        "complex dtype. Got: Long");
}

TEST_CASE("long sums keep their digits") {
  const Tensor x = full(1 << 20, 0.1);
  CHECK(std::abs(sum(x).item() - 104857.6) < 0.02);  // a running float32 sum is off by hundreds
  CHECK(sum(ones(1 << 25)).item() == 1 << 25);       // and a running sum stops at 2^24
}

TEST_CASE("random tensors have the moments they should") {
  manual_seed(0);
  const Tensor u = rand(100'000), n = randn(100'000);
  CHECK(std::abs(mean(u).item() - 0.5) < 0.01);
  CHECK(std::abs(var(u).item() - 1. / 12) < 0.01);
  CHECK(std::abs(mean(n).item()) < 0.02);
  CHECK(std::abs(var(n).item() - 1) < 0.02);
  CHECK(min(u).item() >= 0);
  CHECK(max(u).item() < 1);
  const Tensor p = randperm(1000);
  CHECK(equal(sort(p).values, arange(1000)));
  CHECK(error_of([] {
          multinomial(tensor({-1., 1.}), 1);
        }) == "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0");
  CHECK(error_of([] {
          multinomial(tensor({0., 0.}), 1);
        }) == "RuntimeError: invalid multinomial distribution (sum of probabilities <= 0)");
  CHECK(error_of([] {
          multinomial(tensor({1., 1.}), 3);
        }) == "RuntimeError: cannot sample n_sample > prob_dist.size(-1) samples without replacement");
  CHECK(contains(error_of([] { normal_(empty(3), 0, -1); }), "normal expects std >= 0.0"));
}
