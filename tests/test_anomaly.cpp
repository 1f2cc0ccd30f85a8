// DetectAnomaly names the call that made the first nan, forward or backward, and changes nothing.
#include "engine/glass/anomaly.h"

#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

// Returns the error of f under DetectAnomaly.
template <class F>
std::string anomaly_of(F f) {
  DetectAnomaly anomalies;
  const Watch watch(&anomalies);
  return error_of(f);
}

}  // namespace

TEST_CASE("the first nan of a forward pass is named") {
  CHECK(anomaly_of([] { log(tensor({-1., 1.})) * 2; }) == "RuntimeError: nan from log, shape [2]");
  CHECK(anomaly_of([] { zeros(2) / zeros(2); }) == "RuntimeError: nan from div, shape [2]");
  CHECK(anomaly_of([] { add_(ones(3), NAN); }) == "RuntimeError: nan from add, shape [3]");
  CHECK(anomaly_of([] {
          const Scope outer("model"), inner("norm");
          sqrt(tensor({{-1., 2.}}));
        }) == "RuntimeError: nan from sqrt in model.norm, shape [1, 2]");
  // Not reported: nan in given numbers, memory that was never written, infinities.
  const Tensor given = from_values(std::vector<double>{NAN}, 1, float64);
  CHECK(anomaly_of([&] { given.t().unsqueeze(0); }) == "nothing");  // the view only shows a nan
  CHECK(anomaly_of([&] { given.t() * 2; }) == "RuntimeError: nan from mul, shape [1]");
  CHECK(anomaly_of([] {
          softmax(masked_fill(ones({2, 2}), triu(ones({2, 2}), 1) > 0, -INFINITY), -1);
        }) == "nothing");
  CHECK(anomaly_of([] {
          const Tensor filled = empty({2, 64});
          fill_(filled, NAN);
        }) == "RuntimeError: nan from fill_, shape [2, 64]");
  CHECK(anomaly_of([] {
          const Tensor x = empty({2, 64});
          copy_(x[0], ones(64));
        }) == "nothing");
}

TEST_CASE("the first nan of a backward pass is named with the op it is the gradient of") {
  const Tensor x = leaf({0., 4.});
  const auto loss = [&] { return sum(sqrt(x) * tensor({0., 1.}, float64)); };  // 0 / (2·√0)
  CHECK(anomaly_of([&] { loss().backward(); }) ==
        "RuntimeError: nan from sqrt_backward, the gradient of sqrt, shape [2]");
  CHECK_FALSE(x.grad());
  CHECK(anomaly_of([&] {
          const Scope scope("root");
          loss().backward();
        }) == "RuntimeError: nan from sqrt_backward, the gradient of sqrt in root, shape [2]");
  const Tensor made_before = loss();
  CHECK(anomaly_of([&] { made_before.backward({}, true); }) ==
        "RuntimeError: nan from sqrt_backward in SqrtBackward0, going backward, shape [2]");
  CHECK(grad_mode);
  CHECK_FALSE(in_backward_of);
  made_before.backward();  // the graph is as before
  CHECK(std::isnan(numbers(x.grad())[0]));
  CHECK(numbers(x.grad())[1] == 0.25);
}

TEST_CASE("the oddities of a tensor") {
  CHECK_FALSE(non_finite_kind({}));
  CHECK_FALSE(non_finite_kind(tensor({1, 2})));
  CHECK_FALSE(non_finite_kind(tensor({1., -2.})));
  CHECK(std::string(non_finite_kind(tensor({-INFINITY, 1.}))) == "-inf");
  CHECK(std::string(non_finite_kind(tensor({-INFINITY, INFINITY}))) == "inf");
  CHECK(std::string(non_finite_kind(tensor({INFINITY, NAN}))) == "nan");
}
