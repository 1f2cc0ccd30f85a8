// Errors of backward, in PyTorch's words. An error leaves everything as it was.
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

const std::string kHint =
    " Hint: enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True).";

std::string modified(const std::string& what, const std::string& versions) {
  return "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace "
         "operation: " +
         what + " is at version " + versions + kHint;
}

}  // namespace

TEST_CASE("roots that cannot start a backward") {
  const Tensor x = leaf({1, 2, 3});
  CHECK(error_of([&] { (x * 2).backward(); }) ==
        "RuntimeError: grad can be implicitly created only for scalar outputs");
  CHECK(error_of([] { tensor(1.).backward(); }) ==
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn");
  CHECK(error_of([&] { sum(x.detach()).backward(); }) ==
        "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn");
  CHECK(error_of([&] {
          grad({sum(x), tensor(1.)}, {x});
        }) == "RuntimeError: element 1 of tensors does not require grad and does not have a grad_fn");
  CHECK(error_of([&] { (x * 2).backward(ones(2, float64)); }) ==
        "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([2]) and output[0] has a "
        "shape of torch.Size([3]).");
  CHECK(error_of([&] {
          grad({sum(x), x * 2}, {x}, {{}, ones({3, 1}, float64)});
        }) ==
        "RuntimeError: Mismatch in shape: grad_output[1] has a shape of torch.Size([3, 1]) and output[1] "
        "has a shape of torch.Size([3]).");
  CHECK_FALSE(x.grad());
}

TEST_CASE("a second backward after the graph was freed") {
  const Tensor x = leaf({1, 2}), y = sum(exp(x));
  y.backward();
  CHECK(error_of([&] { y.backward(); }) ==
        "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors "
        "after they have already been freed). Saved intermediate values of the graph are freed when you "
        "call .backward() or autograd.grad(). Specify retain_graph=True if you need to backward through the "
        "graph a second time or if you need to access saved tensors after calling backward.");
}

TEST_CASE("which graphs a second backward finds freed") {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor mask = tensor({{true, false}, {false, true}});
  const auto freed = [&](const Tensor& y) {
    sum(y).backward();
    return error_of([&] { sum(y).backward(); }) != "nothing";
  };
  CHECK_FALSE(freed(x + x));
  CHECK_FALSE(freed(x - 1));
  CHECK_FALSE(freed(-x));
  CHECK_FALSE(freed(sum(x, 0)));
  CHECK_FALSE(freed(mean(x)));
  CHECK_FALSE(freed(x.t()[0].slice(0, 1, {})));
  CHECK_FALSE(freed(cat({x, x})));
  CHECK_FALSE(freed(stack({x, x})));
  CHECK_FALSE(freed(clone(x)));
  CHECK_FALSE(freed(tril(x)));
  CHECK_FALSE(freed(x.unsqueeze(0).expand({2, 2, 2})));
  CHECK_FALSE(freed(to(x, float32)));
  CHECK(freed(x * 2));
  CHECK(freed(x / 2));
  CHECK(freed(relu(x)));
  CHECK(freed(abs(x)));
  CHECK(freed(clamp(x, 0)));
  CHECK(freed(where(mask, x, x)));
  CHECK(freed(masked_fill(x, mask, 0)));
  CHECK(freed(index(x, {tensor({0, 1})})));
  CHECK(freed(max(x)));
  CHECK(freed(max(x, 0).values));
  CHECK(freed(embedding(x, tensor({0, 1}))));
  CHECK(freed(softmax(x, 0)));
  CHECK(freed(matmul(x, x)));
}

TEST_CASE("a saved result that was modified") {
  const Tensor x = ones({3, 4}).requires_grad_();
  const Tensor y = exp(x);
  add_(y, 1);
  CHECK(error_of([&] { sum(y).backward(); }) ==
        modified("[torch.FloatTensor [3, 4]], which is output 0 of ExpBackward0,",
                 "1; expected version 0 instead."));
  CHECK_FALSE(x.grad());
}

TEST_CASE("a saved leaf that was modified") {
  const Tensor x = leaf({1, 2, 3}), w = leaf({1, 1, 1});
  const Tensor y = sum(x * w);
  {
    const NoGrad no_grad;
    add_(w, 1);
  }
  CHECK(error_of([&] { y.backward(); }) ==
        modified("[torch.DoubleTensor [3]]", "1; expected version 0 instead."));
}

TEST_CASE("a saved operand that was modified through a view") {
  const Tensor x = leaf({{1, 2}, {3, 4}});
  const Tensor a = x * 2, y = sum(a * a);
  fill_(a[0], 5);
  CHECK(error_of([&] { y.backward(); }) ==
        modified("[torch.DoubleTensor [2, 2]], which is output 0 of torch::autograd::CopySlices,",
                 "1; expected version 0 instead."));
}

TEST_CASE("the error about a modified operand names the node that it has now") {
  const Tensor x = leaf({1, 2});
  const auto message = [&](auto write) {
    const Tensor y = x * 2, z = y * y;
    write(y);
    return error_of([&] { sum(z).backward(); });
  };
  CHECK(contains(message([](const Tensor& y) { add_(y, 1); }), ", which is output 0 of AddBackward0,"));
  CHECK(contains(message([](const Tensor& y) { add_(neg_(y), 1), exp_(y); }), " 0 of ExpBackward0,"));
  CHECK(contains(message([](const Tensor& y) { fill_(y[0], 1); }), " 0 of torch::autograd::CopySlices,"));
  CHECK(contains(message([](const Tensor& y) { copy_(y, 1); }), " 0 of torch::autograd::CopyBackwards,"));
  CHECK(contains(message([](const Tensor& y) { add_(y.detach(), 1); }), " 0 of MulBackward0,"));
  const Tensor w = leaf({{1, 2}, {3, 4}}), product = matmul(w.t(), x);
  add_(w.detach(), 1);
  CHECK(contains(error_of([&] { sum(product).backward(); }), " 0 of AsStridedBackward0,"));
}

TEST_CASE("what is saved and what may be written") {
  const Tensor x = leaf({0.5, 1.5});
  const auto writable = [&](const Tensor& base, auto f) {
    const Tensor t = base * 1, y = f(t);
    add_(t, 1);
    return error_of([&] { sum(y).backward(); }) == "nothing";
  };
  // These ops save their result, or nothing.
  CHECK(writable(x, [](const Tensor& t) { return exp(t); }));
  CHECK(writable(x, [](const Tensor& t) { return sigmoid(t); }));
  CHECK(writable(x, [](const Tensor& t) { return tanh(t); }));
  CHECK(writable(x, [](const Tensor& t) { return softmax(t, 0); }));
  CHECK(writable(x, [](const Tensor& t) { return log_softmax(t, 0); }));
  CHECK(writable(x, [](const Tensor& t) { return sqrt(t); }));
  CHECK(writable(x, [](const Tensor& t) { return relu(t); }));
  CHECK(writable(x, [](const Tensor& t) { return t + 1; }));
  CHECK(writable(x, [](const Tensor& t) { return t - 1; }));
  CHECK(writable(x, [](const Tensor& t) { return sum(t); }));
  CHECK(writable(x, [](const Tensor& t) { return masked_fill(t, t > 1, 0); }));
  CHECK(writable(x, [](const Tensor& t) { return t * 3; }));  // the other operand needs no gradient
  // These ops save their operand.
  CHECK_FALSE(writable(x, [](const Tensor& t) { return t * t; }));
  CHECK_FALSE(writable(x, [](const Tensor& t) { return 1 / t / t; }));
  CHECK_FALSE(writable(x, [](const Tensor& t) { return pow(t, 2); }));
  CHECK_FALSE(writable(x, [](const Tensor& t) { return log(t); }));
  CHECK_FALSE(writable(x, [](const Tensor& t) { return dot(t, t); }));
  CHECK_FALSE(writable(x, [](const Tensor& t) { return gelu(t); }));
  CHECK_FALSE(writable(x, [](const Tensor& t) { return silu(t); }));
}

TEST_CASE("in-place results that are saved may stay") {
  const Tensor x = leaf({-1, 2});
  const Tensor y = x * 1, z = x * 1;
  relu_(y);
  exp_(z);
  (sum(y) + sum(z)).backward();
  CHECK(close(x.grad(), {std::exp(-1.), 1 + std::exp(2.)}));
  const Tensor both = x * 1;
  relu_(both);
  exp_(both);  // overwrites what relu_ saved
  CHECK(contains(error_of([&] { sum(both).backward(); }),
                 "[torch.DoubleTensor [2]], which is output 0 of ReluBackward0, is at version 2; expected "
                 "version 1 instead."));
}

TEST_CASE("leaves may not be written in place") {
  const std::string leaf_text =
      "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation.";
  const std::string view_text =
      "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation.";
  const Tensor x = leaf({1, 2, 3, 4});
  CHECK(error_of([&] { add_(x, 1); }) == leaf_text);
  CHECK(error_of([&] { zero_(x); }) == leaf_text);
  CHECK(error_of([&] { copy_(x, ones(4)); }) == leaf_text);
  CHECK(error_of([&] { copy_(x, x); }) == leaf_text);
  CHECK(error_of([&] { fill_(x[0], 5); }) == view_text);
  CHECK(error_of([&] { mul_(x.view({2, 2}), 2); }) == view_text);
  CHECK(error_of([&] { index_put_(x, {tensor({0})}, tensor(1., float64)); }) == leaf_text);
  CHECK(numbers(x) == Numbers{1, 2, 3, 4});
  CHECK(x.version() == 0);
  const NoGrad no_grad;
  fill_(x[0], 5);
  CHECK(numbers(x) == Numbers{5, 2, 3, 4});
}

TEST_CASE("one view of many may not be written in place") {
  const Tensor x = leaf({{1, 2}, {3, 4}}) * 1;
  const std::string rest =
      " is a view and is being modified inplace. This view is the output of a function that returns multiple "
      "views. Such functions do not allow the output views to be modified inplace. You should replace the "
      "inplace operation by an out-of-place one.";
  CHECK(error_of([&] { add_(x.unbind()[0], 1); }) == "RuntimeError: Output 0 of UnbindBackward0" + rest);
  CHECK(error_of([&] { add_(x.split(1)[1], 1); }) == "RuntimeError: Output 1 of SplitBackward0" + rest);
  CHECK(error_of([&] { add_(x.chunk(2)[1], 1); }) == "RuntimeError: Output 1 of SplitBackward0" + rest);
  CHECK(error_of([&] {
          add_(x.split_with_sizes({1, 1})[0], 1);
        }) == "RuntimeError: Output 0 of SplitWithSizesBackward0" + rest);
  CHECK(error_of([] {
          add_(leaf({1, 2}).unbind()[1], 1);
        }) == "RuntimeError: Output 1 of UnbindBackward0" + rest);
  // Without a graph, such a write is allowed.
  const Tensor plain = ones({2, 2});
  add_(plain.unbind()[0], 1);
  CHECK(numbers(plain) == Numbers{2, 2, 1, 1});
}

TEST_CASE("one view of many has no grad_fn once its base was written") {
  const Tensor x = leaf({1, 2, 3}), y = x * 1, part = y.split(2)[1];
  exp_(y);
  CHECK(part.grad_fn_name() == std::string("Invalid"));
  CHECK(contains(error_of([&] { part * 1; }),
                 "Output 1 of SplitBackward0 is a view and its base or another view of its base has been "
                 "modified inplace. This view is the output of a function that returns multiple views."));
}

TEST_CASE("what may be assigned to grad") {
  const Tensor x = leaf({1, 2});
  CHECK(error_of([&] { x.set_grad(x); }) == "RuntimeError: can't assign Variable as its own grad");
  CHECK(contains(error_of([&] { x.set_grad(ones(2)); }),
                 "attempting to assign a gradient with dtype 'float' to a tensor with dtype 'double'."));
  CHECK(contains(error_of([&] { x.set_grad(ones(3, float64)); }),
                 "attempting to assign a gradient of size '[3]' to a tensor of size '[2]'."));
  CHECK_FALSE(x.grad());
}

TEST_CASE("an error inside backward leaves gradients and grad mode as they were") {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  sum(x + w).backward();
  const Tensor y = x * 1, z = sum(y * w);
  const uint64_t id = y.register_hook([](const Tensor&) -> Tensor { throw ValueError("from a hook"); });
  CHECK(error_of([&] { z.backward({}, true); }) == "ValueError: from a hook");
  CHECK(numbers(x.grad()) == Numbers{1, 1});
  CHECK(numbers(w.grad()) == Numbers{1, 1});
  CHECK(grad_mode);
  CHECK(in_backward_of == nullptr);
  y.remove_hook(id);
  z.backward();
  CHECK(numbers(x.grad()) == Numbers{4, 5});
  CHECK(numbers(w.grad()) == Numbers{2, 3});
}

TEST_CASE("an error in the hook of a leaf leaves all gradients as they were") {
  const Tensor x = leaf({1, 2}), w = leaf({3, 4});
  w.register_hook([](const Tensor&) -> Tensor { throw ValueError("from a leaf"); });
  CHECK(error_of([&] { sum(x * w).backward(); }) == "ValueError: from a leaf");
  CHECK_FALSE(x.grad());
  CHECK_FALSE(w.grad());
}

TEST_CASE("a hook returns what it was given or the like of it") {
  const Tensor x = leaf({1, 2});
  const auto with_hook = [&](Tensor::Hook hook) {
    const Tensor y = x * 2;
    y.register_hook(std::move(hook));
    return error_of([&] { sum(y).backward(); });
  };
  CHECK(with_hook([](const Tensor&) { return ones(3, float64); }) ==
        "RuntimeError: hook has changed the size of value");
  CHECK(with_hook([](const Tensor&) { return ones(2); }) ==
        "RuntimeError: hook has changed the type of value (was torch.DoubleTensor got torch.FloatTensor)");
  CHECK_FALSE(x.grad());
}
