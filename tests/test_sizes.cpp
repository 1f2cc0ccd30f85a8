// Sizes that overflow are refused before anything is allocated, or make only views.
// UndefinedBehaviorSanitizer reports arithmetic that overflows.
#include <functional>
#include <new>

#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

constexpr int64_t kHuge = int64_t{1} << 62, kEnd = INT64_MAX, kHalf = int64_t{1} << 31;
constexpr const char* kNumel = "RuntimeError: numel: integer multiplication overflow";

}  // namespace

TEST_CASE("sizes that overflow are refused at once") {
  const Tensor one = ones(1), huge = one.expand(kHuge), x = ones(4), m = ones({5, 5});
  const Tensor indices = zeros(1, int64).expand(kHuge), mask = ones(1, boolean).expand(kHuge);
  for (const int64_t many : {2, 4}) {
    const std::vector<Tensor> all(size_t(many), huge);
    CHECK(error_of([&] { cat(all); }) == "RuntimeError: numel: integer addition overflow");
    CHECK(contains(error_of([&] { stack(all); }), "overflowed with sizes"));
  }
  CHECK(error_of([&] { one.expand({kHalf, kHalf * 2}); }) == kNumel);
  CHECK(error_of([&] { huge.unsqueeze(1).expand({kHuge, 4}); }) == kNumel);
  CHECK(error_of([&] { ones(Dims{0}).expand({kHuge, kHuge, 0}); }) == kNumel);
  CHECK(error_of([&] { huge* ones({4, 1}); }) == kNumel);
  CHECK(error_of([&] { outer(huge, huge); }) == kNumel);
  for (const int64_t times : {kHuge, kHuge + 1, kEnd}) CHECK(error_of([&] { repeat(x, times); }) == kNumel);
  for (const Dims& widths :
       {Dims{kEnd, 2}, Dims{kHuge, kHuge}, Dims{INT64_MIN, INT64_MIN}, Dims{INT64_MIN, 0}})
    CHECK(contains(error_of([&] { pad(one, widths); }), "resulted in a negative output size"));
  CHECK(contains(error_of([&] { zeros({kHuge, kHuge, 0}); }), "overflowed with sizes"));
  CHECK(contains(error_of([&] { one.view({kHalf * 2, kHalf * 2}); }), "is invalid for input of size 1"));
  CHECK(contains(error_of([&] { one.unflatten(0, {kHalf * 2, kHalf * 2}); }), "don't multiply up"));
  const std::vector<std::function<Tensor()>> loops{
      [&] { return gather(one, 0, indices); },
      [&] {
        return embedding(ones({3, 4}), indices);
      },
      [&] { return index(ones(3), {indices}); },
      [&] { return index_select(one, 0, indices); },
      [&] { return index(huge, {mask}); },
      [&] { return masked_select(huge, mask); },
      [&] { return nonzero(mask); },
      [&] { return nll_loss(huge.unsqueeze(1), indices, -100, Reduction::None); },
      [&] { return clone(huge); },
      [&] { return huge + huge; },
      [&] { return flip(huge, 0); },
      [&] { return roll(huge, 1); },
      [&] { return sort(huge).values; },
      [&] { return cumsum(huge, 0); },
      [&] { return softmax(huge, 0); },
      [&] { return zeros_like(huge); },
      [&] { return linspace(0, 1, kEnd); },
      [&] { return arange(kEnd); },
      [&] { return eye(kHuge, 4); }};
  for (size_t i = 0; i < loops.size(); ++i) {
    CAPTURE(i);
    CHECK(contains(error_of([&] { loops[i](); }), "overflowed with sizes"));
  }
  CHECK_THROWS_AS(empty(kHuge, boolean), std::bad_alloc);
  CHECK_THROWS(huge.split(1));
  CHECK_THROWS(huge.unbind());
  CHECK(error_of([&] {
          x.split_with_sizes({kHuge, kHuge, kHuge, kHuge, 4});
        }) == "RuntimeError: numel: integer addition overflow");
  CHECK(contains(error_of([&] { roll(x, INT64_MIN); }), "has no opposite"));
  CHECK(contains(error_of([&] { one.as_strided({0, kHuge}, {kHuge, kHuge}, 0); }), "overflowed"));
  // Views of such sizes are allowed.
  CHECK(huge.view({kHalf, kHalf}).strides() == Dims{0, 0});
  CHECK(one.as_strided(kHuge, Dims(0), 0).numel() == kHuge);
  CHECK(m.slice(0, {}, {}, kEnd).shape() == Dims{1, 5});
  CHECK(m.diagonal(INT64_MIN).numel() == 0);
  CHECK(m.diagonal(kEnd).numel() == 0);
  CHECK(roll(x, kEnd).shape() == Dims{4});
}
