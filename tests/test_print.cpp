// The texts of tensors under print options, so that the sanitizers and the second compiler cover them. The
// Python module runs the whole group of PyTorch's golden cases.
#include "nn/init.h"
#include "support.h"

using namespace glassgrad;

TEST_CASE("the options of printing say how much of a tensor is shown") {
  const Tensor x = arange(0., 25.), small = tensor({1e-5, 1.0});
  set_printoptions({.precision = 2, .threshold = 10, .edgeitems = 1, .linewidth = 30});
  CHECK(repr(x.view({5, 5})) == "tensor([[ 0.,  ...,  4.],\n        ...,\n        [20.,  ..., 24.]])");
  set_printoptions({.profile = "short"});
  CHECK(repr(small / 3) == "tensor([3.33e-06, 3.33e-01])");
  set_printoptions({.profile = "full"});
  CHECK(repr(arange(1200)).find("...") == std::string::npos);
  set_printoptions({.profile = "default"});
  CHECK(repr(arange(1200)) == "tensor([   0,    1,    2,  ..., 1197, 1198, 1199])");
  CHECK(repr(tensor({0.0005, 0.25})) == "tensor([0.0005, 0.2500])");
  CHECK(repr(tensor({0.5, 500.})) == "tensor([  0.5000, 500.0000])");  // 1000 times as large: still decimals
  CHECK(repr(small) == "tensor([1.0000e-05, 1.0000e+00])");
  set_printoptions({.sci_mode = false});
  CHECK(repr(tensor({1., 1e5, 0.5})) == "tensor([    1.0000, 100000.0000,     0.5000])");
  set_printoptions({.profile = "default"});
}

TEST_CASE("texts of empty tensors sizes and single values") {
  CHECK(repr(empty(0)) == "tensor([])");
  CHECK(repr(empty({2, 0}, int64)) == "tensor([], size=(2, 0), dtype=torch.int64)");
  CHECK(size_repr({2, 3}) == "torch.Size([2, 3])");
  CHECK(format_item(tensor(true)) == "True");
  CHECK(format_item(tensor(7)) == "7");
  CHECK(format_item(tensor(0.5)) == "0.5");
  CHECK(format_item(ones(2)) == "tensor([1., 1.])");
  const auto [values, indices] = sort(tensor({3., 1.}));
  CHECK(repr("sort", values, indices) ==
        "torch.return_types.sort(\nvalues=tensor([1., 3.]),\nindices=tensor([1, 0]))");
  CHECK(repr((ones(2).requires_grad_() * 2)) == "tensor([2., 2.], grad_fn=<MulBackward0>)");
}

TEST_CASE("initial values lie where their rules put them") {
  Generator g(3);
  const double wide = std::sqrt(6.0 / (40 + 60)), narrow = std::sqrt(3.0 / 60);
  const Tensor x = nn::init::xavier_uniform_(empty({40, 60}), 1, g);
  CHECK(max(abs(x)).item() <= wide);
  CHECK(max(abs(x)).item() > 0.98 * wide);
  const Tensor y = nn::init::kaiming_uniform_(empty({40, 60}), 0, nn::init::Fan::In, "linear", g);
  CHECK(max(abs(y)).item() <= narrow);
  CHECK(max(abs(y)).item() > 0.98 * narrow);
  CHECK(glassgrad::std(nn::init::xavier_normal_(empty({40, 60}), 1, g)).item() ==
        doctest::Approx(std::sqrt(2.0 / 100)).epsilon(0.05));
  CHECK(glassgrad::std(nn::init::kaiming_normal_(empty({40, 60}), 0, nn::init::Fan::Out, "relu", g)).item() ==
        doctest::Approx(std::sqrt(2.0 / 40)).epsilon(0.05));
  CHECK(equal(nn::init::constant_(empty(3), 2.5), full(3, 2.5)));
  CHECK(equal(nn::init::eye_(empty({2, 3})), eye(2, 3)));
  const Tensor cut = nn::init::trunc_normal_(empty({40, 60}), 0, 1, -0.5, 1, g);
  CHECK(min(cut).item() >= -0.5);
  CHECK(max(cut).item() <= 1);
}
