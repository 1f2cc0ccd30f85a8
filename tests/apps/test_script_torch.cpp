// Tensors in scripts: functions of the table with their overloads and errors, operators, brackets,
// attributes.
#include "apps/script/interpreter.h"
#include "apps/script/torch.h"
#include "tests/support.h"

using namespace glassgrad;
using namespace glassgrad::script;

namespace {

// Returns the output of a program after `import torch`, with the last line of its traceback if it raises.
std::string printed(const std::string& text) {
  Heap heap(size_t(1) << 28);
  std::string out;
  Program program;
  Interpreter in({.print = [&](std::string_view said) { out += said; }});
  try {
    program = parse("import torch\nx = torch.arange(6.0).view(2, 3)\n" + text, "<string>", in.names());
    in.run(program);
  } catch (const Raised& e) {
    out += last_line(in, e.exception);
  }
  return out;
}

}  // namespace

TEST_CASE("A script calls functions by position and by name") {
  CHECK(printed("print(torch.sum(x, dim=1), x.sum(0, keepdim=True), torch.cat((x[0], x[1])))") ==
        "tensor([ 3., 12.]) tensor([[3., 5., 7.]]) tensor([0., 1., 2., 3., 4., 5.])\n");
  CHECK(printed(
            "print(x.view(3, 2).shape, torch.zeros((2, 1)).tolist(), torch.nn.functional.relu(1 - x)[0])") ==
        "torch.Size([3, 2]) [[0.0], [0.0]] tensor([1., 0., 0.])\n");
  CHECK(
      printed("y = torch.max(x, dim=1)\nprint(y.indices, y[0], y)") ==
      "tensor([2, 2]) tensor([2., 5.]) torch.return_types.max(\nvalues=tensor([2., 5.]),\nindices=tensor([2, 2]))\n");
}

TEST_CASE("A script that calls a function wrongly is told what PyTorch tells") {
  CHECK(
      printed("torch.softmax(x)") ==
      "TypeError: softmax() received an invalid combination of arguments - got (Tensor), but expected one of:\n"
      " * (Tensor input, int dim, torch.dtype dtype = None, *, Tensor out = None)\n"
      " * (Tensor input, name dim, *, torch.dtype dtype = None)\n");
  CHECK(printed("x.view(4)") == "RuntimeError: shape '[4]' is invalid for input of size 6");
  CHECK(printed("torch.cat([x, 1])") == "TypeError: expected Tensor as element 1 in argument 0, but got int");
  CHECK(printed("x.size('a')") == "TypeError: size(): argument 'dim' must be int, not str");
  CHECK(printed("x.detach(1)") == "TypeError: Tensor.detach() takes no arguments (1 given)");
}

TEST_CASE("Numbers and tensors of a script meet in operators") {
  CHECK(printed("print((1 - x)[0], (2 ** x)[1], (x // 2)[1], 7 % x[1], -x[0], x[0] == 1)") ==
        "tensor([ 1.,  0., -1.]) tensor([ 8., 16., 32.]) tensor([1., 2., 2.]) tensor([1., 3., 2.]) "
        "tensor([-0., -1., -2.]) tensor([False,  True, False])\n");
  CHECK(printed("y = x\ny += 1\nprint(y is x, x[0], x @ x.T)") ==
        "True tensor([1., 2., 3.]) tensor([[14., 32.],\n        [32., 77.]])\n");
  CHECK(printed("x + 'a'") == "TypeError: unsupported operand type(s) for +: 'Tensor' and 'str'");
  CHECK(printed("'a' + x") == "TypeError: can only concatenate str (not \"Tensor\") to str");
}

TEST_CASE("A script indexes tensors and assigns to their parts") {
  CHECK(
      printed("print(x[1, -1], x[:, 1], x[..., 0], x[None].shape, x[[1, 0]][0], x[x > 3])") ==
      "tensor(5.) tensor([1., 4.]) tensor([0., 3.]) torch.Size([1, 2, 3]) tensor([3., 4., 5.]) tensor([4., 5.])\n");
  CHECK(printed("x[0] = 7\nx[:, 2] = torch.tensor([1, 2])\nx[x == 7] = 0\nprint(x.tolist())") ==
        "[[0.0, 0.0, 1.0], [3.0, 4.0, 2.0]]\n");
  CHECK(printed("x[2]") == "IndexError: index 2 is out of bounds for dimension 0 with size 2");
  CHECK(
      printed("x[1.5]") ==
      "IndexError: only integers, slices (`:`), ellipsis (`...`), None and long or byte Variables are valid "
      "indices (got float)");
}

TEST_CASE("A script makes tensors of its lists and asks them what they are") {
  CHECK(printed("print(torch.tensor([[1, 2], [3, 4]]).dtype, torch.tensor([1, 2.5]), torch.tensor(True))") ==
        "torch.int64 tensor([1.0000, 2.5000]) tensor(True)\n");
  CHECK(printed("torch.tensor([[1, 2], [3]])") ==
        "ValueError: expected sequence of length 2 at dim 1 (got 1)");
  CHECK(
      printed("print(x.shape, x.dtype, x.device, x.ndim, x.T.stride(), x.size(dim=0), x.is_leaf, x.grad)") ==
      "torch.Size([2, 3]) torch.float32 cpu 2 (1, 3) 2 True None\n");
  CHECK(printed("x.requires_grad = True\n(x * x).sum().backward()\nprint(x.grad.tolist(), (x * 2).sum())") ==
        "[[0.0, 2.0, 4.0], [6.0, 8.0, 10.0]] tensor(30., grad_fn=<SumBackward0>)\n");
  CHECK(printed("x.shape = 3") ==
        "AttributeError: 'Tensor' object has no attribute 'shape' that can be set here");
}
