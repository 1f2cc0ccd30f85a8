// Errors: kind and text.
#include "golden.h"
#include "nn/functional.h"
#include "nn/layers.h"
#include "nn/optim.h"

using namespace glassgrad;

namespace {

template <class F>
void print_error(F f) {
  try {
    f();
  } catch (const Error& e) {
    golden::print(std::string(e.kind()) + ": " + e.what());
  }
}

Tensor leaf(int64_t n) { return ones(n).requires_grad_(); }

}  // namespace

#define GOLDEN_ERROR(id, ...)         \
  GOLDEN(id) {                        \
    print_error([] { __VA_ARGS__; }); \
  }

// ---- shapes
GOLDEN_ERROR("error-208", ones({7, 7}).t().view(-1))
GOLDEN_ERROR("error-212", cat({ones({2, 7}), ones({2, 8})}))
GOLDEN_ERROR("error-219", ones({7, 7}).reshape({-1, 50}))
GOLDEN_ERROR("error-221", masked_fill(ones({7, 7}), to(ones({8, 8}), boolean), 0.))
GOLDEN_ERROR("error-222", const Tensor x = ones({7, 8}); copy_(x[0], ones(7).expand(x[0].shape())))
GOLDEN_ERROR("error-224", matmul(ones({2, 7, 7}), ones({2, 8, 9})))
GOLDEN_ERROR("error-225", ones({7, 7}) * ones(8))
GOLDEN_ERROR("error-230", const nn::Linear l(7, 7); l(ones({9, 8})))
GOLDEN_ERROR("error-235", bmm(ones({2, 7, 7}), ones({2, 8, 9})))
GOLDEN_ERROR("error-237", softmax(ones(7), 1))
GOLDEN_ERROR("error-238", ones({7, 7}).view({7, 8}))
GOLDEN_ERROR("error-239", ones(7).transpose(0, 1))
GOLDEN_ERROR("error-240", dot(ones(7), ones(8)))
GOLDEN_ERROR("error-241", ones(7) + ones(8))
GOLDEN_ERROR("error-242", sum(ones({7, 4}), 2))
GOLDEN_ERROR("error-243", tensor({{1, 2}, {3}}))
GOLDEN_ERROR("error-218", nn::LayerNorm(7)(ones({2, 8})))

// ---- values and dtypes
GOLDEN_ERROR("error-211", ones(7).is_true())
GOLDEN_ERROR("error-215", nn::Dropout(7.5))
GOLDEN_ERROR("error-216", embedding(randn({7, 3}), tensor({1.})))
GOLDEN_ERROR("error-220", randint(7, 7, 2))
GOLDEN_ERROR("error-228", div_(tensor({1, 2}), 2))
GOLDEN_ERROR("error-226", nn::functional::cross_entropy(ones({2, 7}), tensor({0, 7})))
GOLDEN_ERROR("error-233", nn::optim::SGD(std::vector<Tensor>{}, 0.1))

// ---- gradients
GOLDEN_ERROR("error-210", (leaf(7) * 2).backward(ones(8)))
GOLDEN_ERROR("error-213", add_(leaf(7), 1))
GOLDEN_ERROR("error-214", (leaf(7) * 2).backward())
GOLDEN_ERROR("error-217", const Tensor x = leaf(7); mul_(x.view(-1), 2))
GOLDEN_ERROR("error-231", const Tensor x = ones({7, 7}).requires_grad_(); const Tensor y = exp(x); add_(y, 1);
             sum(y).backward())
GOLDEN_ERROR("error-232", const Tensor x = leaf(7); const Tensor y = softmax(x, 0); fill_(y[0], 0);
             sum(y).backward())
GOLDEN_ERROR("error-234", const Tensor x = leaf(7); fill_(x[0], 5.))

TEST_CASE("golden errors") { golden::check_group("error"); }
