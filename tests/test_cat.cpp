// The classes of the lesson `cat`: their defaults, the order of their arguments, and their causal masks.
#include "engine/ops.h"
#include "nn/cat.h"
#include "support.h"

using namespace glassgrad;

TEST_CASE("classes of cat - eight heads and no dropout by default") {
  const Tensor x = rand({2, 6, 4});
  const nn::cat::CausalAttention causal(4, 3, 6);
  CHECK(causal.dropout.p() == 0);
  CHECK(causal(x).shape() == Dims{2, 6, 3});
  CHECK_FALSE(bool(causal.W_query.bias));

  const nn::cat::MultiHeadAttentionWrapper wrapper(4, 3, 6);
  CHECK(wrapper.heads.size() == 8);
  CHECK(wrapper(x).shape() == Dims{2, 6, 24});

  const nn::cat::MultiHeadAttention split(4, 16, 6);
  CHECK(split.dropout.p() == 0);
  CHECK(split(x).shape() == Dims{2, 6, 16});
  CHECK(bool(split.out_proj.bias));
  CHECK_THROWS_WITH_AS(nn::cat::MultiHeadAttention(4, 12, 6), "d_out must be divisible by num_heads",
                       AssertionError);
}

TEST_CASE("classes of cat - arguments in the order of the source") {
  const nn::cat::MultiHeadAttention split(4, 6, 5, 0.25, 3, true);
  CHECK(split.W_query.weight.shape() == Dims{6, 4});
  CHECK(split.mask.shape() == Dims{5, 5});
  CHECK(split.dropout.p() == 0.25);
  CHECK(bool(split.W_value.bias));
}

TEST_CASE("classes of cat - no token sees a later one") {
  const nn::cat::MultiHeadAttentionWrapper wrapper(4, 2, 6);
  const Tensor x = rand({1, 6, 4}), changed = clone(x);
  add_(changed.slice(1, 5, {}), 1.0);
  const Tensor before = wrapper(x), after = wrapper(changed);
  CHECK(equal(before.slice(1, 0, 5), after.slice(1, 0, 5)));
  CHECK_FALSE(equal(before, after));
}
