// The repr of modules, and the state they load. Python has its own module classes, so its tests do not cover
// these.
#include "golden.h"
#include "nn/layers.h"

using namespace glassgrad;
using golden::print, golden::list;

namespace {

struct Head : nn::Module {
  explicit Head(int64_t d)
      : Module("Head"), query(d, 2, false), dropout(0.25), scale(ones(1)), mask(triu(ones({2, 2}), 1)) {
    register_parameter("scale", scale);
    register_buffer("mask", mask);
    register_module("query", query);
    register_module("dropout", dropout);
  }
  nn::Linear query;
  nn::Dropout dropout;
  nn::Parameter scale;
  Tensor mask;
};
struct Model : nn::Module {
  Model() : Module("Model"), out(6, 3) {
    for (int i = 0; i < 3; ++i) heads.emplace_back(3);
    register_module("heads", heads);
    register_module("empty", none);
    register_module("out", out);
  }
  nn::ModuleList<Head> heads, none;
  nn::Linear out;
};

}  // namespace

GOLDEN("module-1") {
  print(nn::Linear(6, 1, false).repr());
  print(nn::Linear(3, 2).repr());
  print(nn::Dropout(0.1).repr(), nn::Dropout().repr());
  print(nn::ModuleList<nn::Linear>().repr());
}
GOLDEN("module-2") {
  print(nn::module_repr("ModuleList", "", {{"0", nn::Linear(3, 2).repr()}, {"1", nn::Dropout(0.5).repr()}}));
  nn::ModuleList<nn::Linear> layers;
  layers.emplace_back(3, 2);
  layers.emplace_back(3, 2);
  layers.emplace_back(4, 2);
  layers.emplace_back(3, 2);
  print(layers.repr());
}
GOLDEN("module-3") {
  Model m;
  print(m.repr());
  nn::ModuleList<Model> models;
  models.emplace_back();
  print(models.repr());
  std::vector<std::string> names;
  int64_t numbers = 0;
  for (const auto& [name, tensor] : m.named_parameters()) {
    names.push_back("'" + name + "'");
    numbers += tensor.numel();
  }
  print(list(names));
  print(numbers);
  const bool at_first = m.training();
  m.eval();
  const bool in_evaluation = m.training(), child = m.heads[1].dropout.training();
  m.train();
  print(at_first, in_evaluation, child, m.training());
}
GOLDEN("module-162") {
  print(nn::Dropout(0.1).repr());
  nn::Sequential net;
  net.emplace_back<nn::LayerNorm>(768, 1e-6);
  net.emplace_back<nn::Linear>(28, 41);
  print(net.repr());
  print(
      nn::module_repr("ModuleList", "", {{"0", nn::GELU().repr()}, {"1", nn::Embedding(4687, 270).repr()}}));
}
GOLDEN("module-163") {
  print(nn::Linear(6, 1, false).repr());
  nn::Sequential net;
  net.emplace_back<nn::Embedding>(10642, 650);
  net.emplace_back<nn::Embedding>(18241, 367);
  print(net.repr());
  print(nn::module_repr("ModuleList", "", {{"0", nn::Softmax(-1).repr()}, {"1", nn::ReLU().repr()}}));
}
GOLDEN("module-164") {
  print(nn::LayerNorm(8).repr());
  nn::Sequential net;
  net.emplace_back<nn::Softmax>(-1);
  net.emplace_back<nn::ReLU>();
  print(net.repr());
  print(
      nn::module_repr("ModuleList", "", {{"0", nn::GELU().repr()}, {"1", nn::Embedding(28982, 48).repr()}}));
}
namespace {

struct Block : nn::Module {
  explicit Block(int64_t d) : Module("Block"), ln(d), scale(ones(1)) {
    net.emplace_back<nn::Linear>(d, 4 * d);
    net.emplace_back<nn::GELU>();
    net.emplace_back<nn::Linear>(4 * d, d);
    net.emplace_back<nn::Dropout>(0.1);
    register_parameter("scale", scale);
    register_module("ln", ln);
    register_module("net", net);
  }
  nn::LayerNorm ln;
  nn::Sequential net;
  nn::Parameter scale;
};
struct Named : nn::Module {
  Named() : Module("ModuleDict") {
    register_module("a", a);
    register_module("b", b);
  }
  nn::Tanh a;
  nn::Identity b;
};
struct BlockModel : nn::Module {
  BlockModel() : Module("Model"), tok_emb(82, 8), head(8, 3, false), mask(ones({2, 2})) {
    for (int i = 0; i < 3; ++i) blocks.emplace_back(8);
    register_module("tok_emb", tok_emb);
    register_module("blocks", blocks);
    register_module("empty", none);
    register_module("d", named);
    register_module("head", head);
    register_buffer("mask", mask);
  }
  std::string extra_repr() const override { return "vocab=6, custom"; }
  nn::Embedding tok_emb;
  nn::ModuleList<Block> blocks, none;
  Named named;
  nn::Linear head;
  Tensor mask;
};

}  // namespace
GOLDEN("module-165") {
  BlockModel m;
  print(m.repr());
  std::vector<std::string> names;
  int64_t numbers = 0;
  for (const auto& [name, tensor] : m.named_parameters()) {
    if (names.size() < 4) names.push_back("'" + name + "'");
    numbers += tensor.numel();
  }
  print(numbers);
  print(list(names));
  const bool at_first = m.training();
  m.eval();
  print(at_first, m.training());
}
GOLDEN("module-166") {
  print(nn::Sequential().repr());
  print(nn::GELU("tanh").repr(), nn::SiLU().repr(), nn::LeakyReLU(0.2).repr(), nn::Embedding(5, 3, 0).repr());
}

namespace {

struct Net : nn::Module {
  Net()
      : Module("Net"),
        mask(ones({2, 2})),
        a(3, 2),
        c((b.emplace_back<nn::Linear>(2, 2, false), 3), 2, false) {
    b.emplace_back<nn::LayerNorm>(2);
    c.weight = a.weight;
    register_buffer("mask", mask);
    register_module("a", a);
    register_module("b", b);
    register_module("c", c);
  }
  Tensor mask;
  nn::Linear a;
  nn::Sequential b;
  nn::Linear c;
};

Tensor& entry(std::vector<nn::NamedTensor>& state, const std::string& name) {
  for (nn::NamedTensor& t : state)
    if (t.name == name) return t.tensor;
  return state.emplace_back(nn::NamedTensor{name, {}}).tensor;
}

std::string in_quotes(const std::vector<std::string>& names) {
  std::vector<std::string> all;
  for (const std::string& name : names) all.push_back("'" + name + "'");
  return list(all);
}

void print_error_of_loading(nn::Module& module, const std::vector<nn::NamedTensor>& state, bool strict) {
  try {
    module.load_state_dict(state, strict);
  } catch (const Error& e) {
    print(e.what());
  }
}

}  // namespace
GOLDEN("module-167") {
  Net net;
  std::vector<nn::NamedTensor> state = net.state_dict();
  std::vector<std::string> names;
  for (const nn::NamedTensor& t : state) names.push_back(t.name);
  print(in_quotes(names));
  print(entry(state, "a.bias"));
  std::erase_if(state, [](const nn::NamedTensor& t) { return t.name == "a.bias" || t.name == "b.1.weight"; });
  entry(state, "b.0.weight") = ones({3, 2});
  entry(state, "mask") = ones(4);
  entry(state, "d") = ones(1);
  entry(state, "a.scale") = ones(1);
  print_error_of_loading(net, state, true);
  print_error_of_loading(net, state, false);
  entry(state, "b.0.weight") = ones({2, 2});
  entry(state, "mask") = zeros({2, 2});
  const auto [missing, unexpected] = net.load_state_dict(state, false);
  print(in_quotes(missing), in_quotes(unexpected));
  print(dynamic_cast<nn::Linear&>(net.b[0]).weight, net.mask);
  nn::Linear other(2, 1);
  print_error_of_loading(other, {{"weight", ones(1)}}, true);
}

TEST_CASE("golden texts of modules") { golden::check_group("module"); }
