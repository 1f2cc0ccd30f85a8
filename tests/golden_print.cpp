// Printing of tensors, sizes and Python numbers.
#include <fmt/format.h>

#include "golden.h"
#include "nn/module.h"

using namespace glassgrad;
using golden::dims, golden::print, golden::values, golden::list;

GOLDEN("print tensor") {
  if (args.contains("data")) {
    print(values(args["data"], golden::dtype(args)));
  } else {
    print(randn(dims(args["shape"])));
  }
}
GOLDEN("print-134") {
  print(arange(1969));
  print(to(arange(1969), float32) / 7);
  print(arange(1000).view({10, 100}).shape());
}
GOLDEN("print-135") { print(arange(336).view({24, 14})); }

static void print_empty(const golden::Json& args) {
  const Tensor x = empty(dims(args["shape"]), golden::dtype(args));
  print(x);
  print(x.shape());
}
GOLDEN("print-136") { print_empty(args); }
GOLDEN("print-137") { print_empty(args); }
GOLDEN("print-138") { print_empty(args); }
GOLDEN("print-139") {
  print(Dims{}, tensor(1).shape(), ones(3).shape(), ones({6, 2}).shape());
  print(ones({2, 3}).shape(), ones({2, 3}).size(1), ones({4, 2}).size(0), ones({2, 3}).numel());
}

GOLDEN("print-140") {
  const Tensor x = tensor({1.851, -0.204, -4.65, -4.531});
  print("x = " + format_item(x));
  print(fmt::format("{:.4f} {:.2f} {:.3f}", x[0].item(), x[1].item(), mean(x).item()));
  print(list(x.to_vector<double>()));
  print(x[0], x[0].item());
  print(list(std::vector{x[0], x[1]}));
  print("(" + repr(x) + ", 'a')");
  print("{'k': " + repr(x) + "}");
  print(x.slice(0, 2, {}));
  print(dtype_name(x.dtype()), "cpu", x.requires_grad());
}
GOLDEN("print-141") {
  const Tensor x = tensor({1.851, -0.204, -4.65, -4.531}).requires_grad_();
  print(x);
  print(x[0]);
  print(x * 2);
  print(x.detach());
  print(sum(x).item());
  print(x.grad());
  print(nn::Parameter(x.detach()));
  print(list(std::vector<Tensor>{nn::Parameter(x.detach().slice(0, {}, 2))}));
}

namespace {

PrintChange print_change(const golden::Json& args) {
  PrintChange change;
  if (args.contains("profile")) change.profile = args["profile"].get_ref<const std::string&>();
  if (args.contains("precision")) change.precision = args["precision"].get<int>();
  if (args.contains("threshold")) change.threshold = args["threshold"].get<int64_t>();
  if (args.contains("edgeitems")) change.edgeitems = args["edgeitems"].get<int64_t>();
  if (args.contains("linewidth")) change.linewidth = args["linewidth"].get<int64_t>();
  if (args.contains("sci_mode")) change.sci_mode = args["sci_mode"].get<bool>();
  return change;
}

// Each program first draws its numbers, scaled so that the option shows.
void print_with_options(const golden::Json& args, double scale) {
  const Tensor x = randn(dims(args["shape"])) * scale;
  set_printoptions(print_change(args));
  print(x);
  print(arange(0., 5.));
  set_printoptions({.profile = "default"});
  print(x[0]);
}

}  // namespace

GOLDEN("print-142") { print_with_options(args, 0.001); }
GOLDEN("print-143") { print_with_options(args, 1000); }
GOLDEN("print-144") { print_with_options(args, 1); }
GOLDEN("print-145") { print_with_options(args, 1000); }
GOLDEN("print-146") { print_with_options(args, 1); }
GOLDEN("print-147") {
  const Tensor x = values(args["data"]);
  print(x);
  set_printoptions({.sci_mode = false});
  print(x);
  print(x.slice(0, {}, 1));
  set_printoptions({.sci_mode = true});
  print(x.slice(0, 1, {}));
  print(ones(2));
  print(zeros(2));
  set_printoptions({.profile = "default"});
  print(x.slice(0, 1, {}));
}

GOLDEN("print suffix") {
  const Tensor x = rand(dims(args["shape"])).requires_grad_();
  print(x * 2);
  print(exp(x));
  print(softmax(x, 0));
  print(to(x * 2, float64));
}
GOLDEN("print-153") {
  const Tensor x = rand({1, 1, 6}).requires_grad_();
  print(x);
  print(x.transpose(1, 2));
  print(sum(x, -1, true));
  print(x.slice(0, {}, {}).unsqueeze(1));
}
GOLDEN("print-154") {
  const Tensor x = values(args["data"]);
  print(x);
  print(x.slice(0, 0, 4));
  print(tensor({0.25, 0.15, 0.05, 2500.0, 1000.0500000000001, 999.95, 123.45, 3500.0, 123.450001}));
}
GOLDEN("print-155") {
  const Tensor x = tensor(3.1);
  print(x, x.item(), x.item(), to(x, float64), x.item());
  print(tensor(3.1, float64), tensor(3.1, float64).item());
  print(x / 3, (x / 3).item());
}
GOLDEN("print-156") {
  print(tensor({1e-5, 1.0}));
  print(tensor({1e-4, 0.1}));
  print(tensor({0.0009, 1.}));
  print(tensor({1000.5, 1.}));
  print(tensor({1001., 1.}));
  print(tensor({1001., 1.5}));
  print(tensor({1e8, 1e6}));
  print(tensor({1.1e8}));
  print(tensor({1., INFINITY}), tensor({-INFINITY, 0.}), tensor({NAN, 2.5}), tensor({NAN}));
  print(tensor({0., -0.}), tensor(-0.), tensor({-0., 1.5}));
}
GOLDEN("print-157") {
  const Tensor x = arange(0., 25.);
  print(x);
  print(x.view({-1, 1}).slice(0, {}, 3));
  print(x / sum(x));
  print(x > 3);
  print(to(x, float64));
  print(zeros({2, 3}), ones({2, 2}), full({2, 2}, 0.1), eye(3));
  print(linspace(0, 1, 5));
}

TEST_CASE("golden printing") { golden::check_group("print"); }
