// The op table's column of errors: pointwise ops, those of pointwise.def by their kinds.
#include <cstring>

#include "engine/literal.h"
#include "op_table.h"

using namespace glassgrad;
using namespace testing;

namespace {

using Group = std::vector<Misuse>;
using Kind = const char*;

bool is(Kind kind, const char* name) { return std::strcmp(kind, name) == 0; }
std::string python_of(const std::string& name) {
  return (name == "silu" || name == "gelu" ? "F." : "torch.") + name;
}
// "gelu_tanh" is a function of the table only.
std::string called_with(const std::string& name, const std::string& argument) {
  if (name == "gelu_tanh") return "F.gelu(" + argument + ", approximate='tanh')";
  return python_of(name) + "(" + argument + ")";
}
Tensor truth() { return tensor({true}); }
Tensor leaf_of(const Dims& shape) { return ones(shape).requires_grad_(); }

Group unary(const char* name, Kind kind, Tensor (*f)(const Tensor&)) {
  if (is(kind, "numeric") && !is(name, "square"))
    return {{name, called_with(name, "torch.tensor([True])"), [f] { f(truth()); }}};
  if (is(kind, "floating")) return {{name, called_with(name, "torch.tensor([1])"), [f] { f(tensor({1})); }}};
  if (is(kind, "integral")) return {{name, called_with(name, "torch.ones(2)"), [f] { f(ones(2)); }}};
  error_column()[name].cannot_fail = "takes a tensor of any shape and dtype";
  return {};
}

Group binary(const char* name, Kind kind, Tensor (*f)(const Tensor&, const Tensor&)) {
  const std::string call = python_of(name);
  const bool whole = is(kind, "integral");
  const DType t = whole ? int64 : float32;
  const std::string dtype = whole ? ", dtype=torch.int64" : "";
  Group group = {{name, call + "(torch.ones(2, 3" + dtype + "), torch.ones(4" + dtype + "))", [f, t] {
                    f(ones({2, 3}, t), ones(4, t));
                  }}};
  if (is(kind, "numeric"))
    group.push_back(
        {name, call + "(torch.tensor([True]), torch.tensor([True]))", [f] { f(truth(), truth()); }});
  if (whole) group.push_back({name, call + "(torch.ones(2), torch.ones(2))", [f] { f(ones(2), ones(2)); }});
  return group;
}

// A leaf that needs a gradient, a tensor whose elements share memory, a dtype that cannot hold the result.
Group unary_in_place(const std::string& name, Kind kind, Tensor (*f)(const Tensor&)) {
  const auto call = [&](const std::string& x) {
    return name == "silu_" ? "F.silu(" + x + ", inplace=True)" : x + "." + name + "()";
  };
  Group group = {{name, call("torch.ones(2, requires_grad=True)"), [f] { f(leaf_of(2)); }},
                 {name, call("torch.ones(1).expand(3)"), [f] { f(ones(1).expand(3)); }}};
  if (is(kind, "real") || is(kind, "floating"))
    group.push_back({name, call("torch.tensor([1])"), [f] { f(tensor({1})); }});
  return group;
}
Group binary_in_place(const std::string& name, Tensor (*f)(const Tensor&, const Tensor&)) {
  const auto call = [&](const std::string& x, const std::string& y) {
    return x + "." + name + "(" + y + ")";
  };
  return {{name, call("torch.ones(4)", "torch.ones(2, 4)"),
           [f] {
             f(ones(4), ones({2, 4}));
           }},
          {name, call("torch.ones(2, requires_grad=True)", "torch.ones(2)"), [f] { f(leaf_of(2), ones(2)); }},
          {name, call("torch.tensor([1])", "torch.tensor([0.5])"), [f] { f(tensor({1}), tensor({0.5})); }}};
}

Kind kind_of(const std::string& op) {
  static const std::map<std::string, Kind> kinds = {
#define UNARY(name, kind, node, value, dx) {#name, #kind},
#include "engine/numbers/pointwise.def"
  };
  return kinds.at(op);
}

const Misuses listed{
#define UNARY(name, kind, node, value, dx) unary(#name, #kind, glassgrad::name),
#define UNARY_PLAIN(name, kind, value) unary(#name, #kind, glassgrad::name),
#define BINARY(name, kind, node, value, da, db) binary(#name, #kind, glassgrad::name),
#define BINARY_PLAIN(name, kind, value) binary(#name, #kind, glassgrad::name),
#define UNARY_INPLACE(name) unary_in_place(#name "_", kind_of(#name), glassgrad::name##_),
#define BINARY_INPLACE(name) binary_in_place(#name "_", glassgrad::name##_),
#include "engine/numbers/pointwise.def"
};

const Misuses more{{
    {"pow_number", "torch.tensor([1, 2]) ** -1",
     [] {
       pow_number(tensor({1, 2}), Tensor(-1));
     }},
    {"pow_base", "True ** torch.tensor([True])", [] { pow_base(Tensor(true), truth()); }},
    {"pow_", "torch.tensor([1, 2]).pow_(0.5)",
     [] {
       pow_(tensor({1, 2}), 0.5);
     }},
    {"pow_", "torch.ones(2, requires_grad=True).pow_(2)", [] { pow_(leaf_of(2), 2); }},
    {"leaky_relu", "F.leaky_relu(torch.tensor([1]))", [] { leaky_relu(tensor({1})); }},
    {"elu", "F.elu(torch.tensor([1]))", [] { elu(tensor({1})); }},
    {"softplus", "F.softplus(torch.tensor([1]))", [] { softplus(tensor({1})); }},
    {"gelu", "F.gelu(torch.ones(2), approximate='erf')", [] { gelu(ones(2), "erf"); }},
    {"clamp", "torch.clamp(torch.ones(2))", [] { clamp(ones(2), {}); }},
    {"clamp_", "torch.ones(2, requires_grad=True).clamp_(0)", [] { clamp_(leaf_of(2), 0); }},
    {"where", "torch.where(torch.ones(3) > 0, torch.ones(2), torch.ones(2))",
     [] { where(ones(3) > 0, ones(2), ones(2)); }},
    {"where", "torch.where(torch.ones(2), torch.ones(2), torch.ones(2))",
     [] { where(ones(2), ones(2), ones(2)); }},
    {"masked_fill", "torch.ones(2, 3).masked_fill(torch.ones(4) > 0, 0)",
     [] {
       masked_fill(ones({2, 3}), ones(4) > 0, 0);
     }},
    {"masked_fill", "torch.ones(2).masked_fill(torch.ones(2), 0)", [] { masked_fill(ones(2), ones(2), 0); }},
    {"masked_fill", "torch.ones(2).masked_fill(torch.ones(2) > 0, torch.ones(2))",
     [] { masked_fill(ones(2), ones(2) > 0, ones(2)); }},
    {"masked_fill_", "torch.ones(2, requires_grad=True).masked_fill_(torch.ones(2) > 0, 0)",
     [] { masked_fill_(leaf_of(2), ones(2) > 0, 0); }},
    {"fill_", "torch.ones(2).fill_(torch.ones(2))", [] { fill_(ones(2), ones(2)); }},
    {"fill_", "torch.ones(2, requires_grad=True).fill_(1)", [] { fill_(leaf_of(2), 1); }},
    {"zero_", "torch.ones(2, requires_grad=True).zero_()", [] { zero_(leaf_of(2)); }},
    {"copy_", "torch.ones(2, 3).copy_(torch.ones(4))",
     [] {
       copy_(ones({2, 3}), ones(4));
     }},
    {"copy_", "torch.ones(2, requires_grad=True).copy_(torch.ones(2))", [] { copy_(leaf_of(2), ones(2)); }},
}};

const CannotFail no_errors{
    {"square", "PyTorch takes any dtype; bool, of which it makes int64, is refused here: docs/parity.md"},
    {"clone", "takes a tensor of any shape and dtype"},
    {"to", "every dtype becomes every other"},
};

}  // namespace
