// Errors of autograd leave everything as it was: numbers, versions, gradients, graph and modes.
#include <functional>
#include <thread>

#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

// Two leaves that have gradients already.
struct TwoLeaves {
  Tensor x = leaf({0.5, 2}), w = leaf({3, 4});
  TwoLeaves() { sum(x * w).backward(); }

  std::string state() const {
    return repr(x) + repr(w) + repr(x.grad()) + repr(w.grad()) + std::to_string(x.version()) +
           std::to_string(w.version()) + (grad_mode ? " on" : " off") +
           (in_backward_of ? " in backward" : "");
  }
};

struct Refused {
  const char* what;
  std::function<void(TwoLeaves&)> call;  // throws every time it is called
  std::string text;
};

const std::string kModified =
    "RuntimeError: one of the variables needed for gradient computation has been modified by an inplace operation: "
    "[torch.DoubleTensor [2]], which is output 0 of ExpBackward0, is at version 1; expected version 0 instead. Hint: "
    "enable anomaly detection to find the operation that failed to compute its gradient, with "
    "torch.autograd.set_detect_anomaly(True).";
const std::string kTwice =
    "RuntimeError: Trying to backward through the graph a second time (or directly access saved tensors after they have "
    "already been freed). Saved intermediate values of the graph are freed when you call .backward() or "
    "autograd.grad(). Specify retain_graph=True if you need to backward through the graph a second time or if you need "
    "to access saved tensors after calling backward.";

const std::vector<Refused> refusals = {
    {"in place on a leaf", [](TwoLeaves& o) { add_(o.x, 1); },
     "RuntimeError: a leaf Variable that requires grad is being used in an in-place operation."},
    {"in place on a view of a leaf", [](TwoLeaves& o) { fill_(o.x[0], 5); },
     "RuntimeError: a view of a leaf Variable that requires grad is being used in an in-place operation."},
    {"in place on a saved tensor",
     [](TwoLeaves& o) {
       const Tensor y = exp(o.x);
       add_(y, 1);
       sum(y * o.w).backward();
     },
     kModified},
    {"backward twice",
     [](TwoLeaves& o) {
       const Tensor y = sum(exp(o.x.detach().requires_grad_()));
       y.backward();
       y.backward();
     },
     kTwice},
    {"no scalar and no gradient", [](TwoLeaves& o) { (o.x * o.w).backward(); },
     "RuntimeError: grad can be implicitly created only for scalar outputs"},
    {"a gradient of another shape", [](TwoLeaves& o) { (o.x * o.w).backward(ones(3, float64)); },
     "RuntimeError: Mismatch in shape: grad_output[0] has a shape of torch.Size([3]) and output[0] has a shape of "
     "torch.Size([2])."},
    {"no path", [](TwoLeaves& o) { grad({sum(o.w * 2)}, {o.x}); },
     "RuntimeError: One of the differentiated Tensors appears to not have been used in the graph. Set "
     "allow_unused=True if this is the desired behavior."},
    {"no graph", [](TwoLeaves& o) { sum(o.x.detach()).backward(); },
     "RuntimeError: element 0 of tensors does not require grad and does not have a grad_fn"},
    {"a hook that throws",
     [](TwoLeaves& o) {
       const Tensor y = o.x * 1;
       y.register_hook([](const Tensor&) -> Tensor { throw ValueError("from a hook"); });
       sum(y * o.w).backward();
     },
     "ValueError: from a hook"},
    {"a hook that throws inside create_graph",
     [](TwoLeaves& o) {
       const Tensor y = o.x * 1;
       y.register_hook([](const Tensor&) -> Tensor { throw ValueError("from a hook"); });
       grad({sum(y * o.w)}, {o.x}, {}, {}, true);
     },
     "ValueError: from a hook"},
    {"a graph that another thread has freed",
     [](TwoLeaves& o) {
       const Tensor y = sum(exp(o.x.detach().requires_grad_()));
       std::thread([&] { y.backward(); }).join();
       y.backward();
     },
     kTwice},
    {"a gradient of its own", [](TwoLeaves& o) { o.x.set_grad(o.x); },
     "RuntimeError: can't assign Variable as its own grad"},
};

}  // namespace

TEST_CASE("what autograd refuses leaves everything as it was") {
  for (const Refused& refused : refusals) {
    INFO(std::string(refused.what));
    TwoLeaves world;
    const std::string before = world.state();
    for (int time = 0; time < 2; ++time) {
      CHECK(error_of([&] { refused.call(world); }) == refused.text);
      CHECK(world.state() == before);
    }
    sum(world.x * world.w).backward();  // and autograd still works
    CHECK(numbers(world.x.grad()) == Numbers{6, 8});
    CHECK(numbers(world.w.grad()) == Numbers{1, 4});
  }
  MESSAGE("autograd: ", refusals.size(),
          " refusals of autograd, each with PyTorch's text and nothing changed");
}

TEST_CASE("a graph is whole after a refusal") {
  const Tensor x = leaf({0.5, 2}), y = exp(x), z = sum(y * y);
  CHECK(error_of([&] { y.backward(); }) ==
        "RuntimeError: grad can be implicitly created only for scalar outputs");
  const uint64_t id = y.register_hook([](const Tensor&) -> Tensor { throw ValueError("from a hook"); });
  CHECK(error_of([&] { z.backward(); }) == "ValueError: from a hook");
  CHECK_FALSE(x.grad());
  y.remove_hook(id);
  sum(y).backward();  // runs the part of the graph that the hook's error had skipped
  CHECK(close(x.grad(), {std::exp(0.5), std::exp(2.)}));
}
