// Errors of ops. golden/op_errors.txt holds PyTorch's texts, and tests/python/test_functions.py checks them
// in the Python module. This file checks that the errors of every function of the op table are recorded
// there, and that the ops that Python does not call throw PyTorch's texts.
#include <fstream>
#include <map>
#include <set>

#include "engine/literal.h"
#include "op_table.h"
#include "support.h"

using namespace glassgrad;
using namespace testing;

namespace {

// Maps the code after each ">>> " to the lines up to the next ">>> ".
std::map<std::string, std::string> recorded() {
  std::ifstream file(GLASSGRAD_GOLDEN_DIR "/op_errors.txt");
  REQUIRE(file.good());
  std::map<std::string, std::string> texts;
  std::string line, python;
  while (std::getline(file, line)) {
    if (line.starts_with(">>> "))
      python = line.substr(4);
    else
      texts[python] += (texts[python].empty() ? "" : "\n") + line;
  }
  return texts;
}

// The Python calls of functions that have a different name there.
const std::map<std::string, std::string> kCalls = {
    {"dropout_mask_", ".bernoulli_(-0.5)"},
    {"add_layer_norm", "F.layer_norm("},
    {"gelu_tanh", "approximate='tanh'"},
    {"index", ")[torch.tensor("},
    {"linear_gelu", "F.gelu(F.linear("},
    {"pow_base", "True ** "},
    {"pow_number", " ** -1"},
    {"silu_", ", inplace=True)"},
    {"slice", ")[::-1]"},
    {"softmax_cross_entropy", "F.cross_entropy("},
    {"split_with_sizes", ".split(["},
};

// Returns the reason why a function has no errors; empty if it has some.
std::string takes_all(const std::string& function) {
  static const std::map<std::string, std::string> reasons = {
      {"adam_", "called by optimizers only, with a parameter and its gradient"},
      {"sgd_", "called by optimizers only, with a parameter and its gradient"},
      {"norms", "called by clip_grad_norm_ only, with gradients"},
      {"safe_softmax", "called by attention only, with scores"},
      {"mul_all_", "called by clip_grad_norm_ only, with gradients and one number"},
      {"to_all", "called by autocast only, with weights and a half"},
      {"as_strided_scatter", "called by gradients only"},
      {"as_strided_zero", "called by gradients only"},
      {"sum_to", "called by gradients only, with a shape that was broadcast"},
      {"unsafe_view", "called by matmul only, with a shape that fits"},
      {"copy_slices", "a write to a view, which the op that writes has checked"},
      {"from_values", "the engine's own: as many values as the shape holds"},
      {"empty_like", "every tensor has its like"},
      {"zeros_like", "every tensor has its like"},
      {"ones_like", "every tensor has its like"},
      {"full_like", "every tensor has its like"},
      {"T", "reverses any number of dimensions"},
      {"alias", "takes any tensor"},
      {"contiguous", "takes any tensor"},
      {"clone", "takes any tensor"},
      {"nonzero", "takes any tensor"},
      {"unique", "takes any tensor"},
      {"to", "every dtype becomes every other"},
      {"all", "every element is true or false"},
      {"any", "every element is true or false"},
      {"square", "PyTorch takes any dtype; bool, of which it makes int64, is refused here: docs/parity.md"},
  };
  static const std::map<std::string, std::string> kinds = {
#define UNARY(name, kind, node, value, dx) {#name, #kind},
#define UNARY_PLAIN(name, kind, value) {#name, #kind},
#include "engine/numbers/pointwise.def"
  };
  const auto reason = reasons.find(function);
  if (reason != reasons.end()) return reason->second;
  const auto kind = kinds.find(function);
  const bool any = kind != kinds.end() &&
                   (kind->second == "real" || kind->second == "arithmetic" || kind->second == "compare");
  return any ? "takes a tensor of any shape and dtype" : "";
}

// Errors of the fused ops, which Python's functions do not call.
struct Misuse {
  std::string python;  // its key in golden/op_errors.txt
  std::function<void()> call;
};
const Misuse kMisuses[] = {
    {"F.scaled_dot_product_attention(torch.ones(2), torch.ones(2), torch.ones(2))",
     [] { scaled_dot_product_attention(ones(2), ones(2), ones(2)); }},
    {"F.scaled_dot_product_attention(torch.ones(2, 2), torch.ones(2, 2, dtype=torch.float64), torch.ones(2, 2))",
     [] {
       scaled_dot_product_attention(ones({2, 2}), ones({2, 2}, float64), ones({2, 2}));
     }},
    {"F.scaled_dot_product_attention(torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 2), torch.ones(2, 2) > 0, "
     "is_causal=True)",
     [] {
       scaled_dot_product_attention(ones({2, 2}), ones({2, 2}), ones({2, 2}), ones({2, 2}) > 0, true);
     }},
    {"F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 3]))",
     [] {
       softmax_cross_entropy(ones({2, 3}), tensor({0, 3}));
     }},
    {"F.cross_entropy(torch.ones(2, 3), torch.tensor([0, 1, 2]))",
     [] {
       softmax_cross_entropy(ones({2, 3}), tensor({0, 1, 2}));
     }},
    {"F.cross_entropy(torch.ones(2, 3), torch.tensor([[0], [1]]))",
     [] {
       softmax_cross_entropy(ones({2, 3}), tensor({{0}, {1}}));
     }},
    {"F.gelu(F.linear(torch.ones(2, 3), torch.ones(4, 2), torch.ones(4)), approximate='tanh')",
     [] {
       linear_gelu(ones({2, 3}), ones({4, 2}), ones(4), "tanh");
     }},
    {"F.gelu(F.linear(torch.ones(2, 3), torch.ones(4, 3), torch.ones(4)), approximate='erf')",
     [] {
       linear_gelu(ones({2, 3}), ones({4, 3}), ones(4), "erf");
     }},
    {"torch.ones(2).bernoulli_(-0.5)", [] { dropout_mask_(ones(2), -0.5); }},
};

}  // namespace

TEST_CASE("every function of the op table has its errors or refuses nothing") {
  std::string calls;
  const auto texts = recorded();
  for (const auto& text : texts) calls += text.first + "\n";
  std::set<std::string> functions;
  for (const OpRow& row : op_table()) functions.insert(row.function());
  size_t none = 0;
  for (const std::string& name : functions) {
    const auto call = kCalls.find(name);
    const bool refuses = contains(calls, call == kCalls.end() ? "." + name + "(" : call->second);
    none += !refuses;
    CHECK_MESSAGE(refuses == takes_all(name).empty(), name,
                  " needs its errors in golden/op_errors.txt, or the reason why it has none here");
  }
  MESSAGE("op table: ", texts.size(), " error texts of ", functions.size() - none, " functions, ", none,
          " functions that refuse nothing");
}

TEST_CASE("ops that Python does not call refuse in the words of PyTorch") {
  const auto texts = recorded();
  for (const Misuse& misuse : kMisuses) {
    REQUIRE_MESSAGE(texts.contains(misuse.python), misuse.python);
    CHECK_MESSAGE(error_of(misuse.call) == texts.at(misuse.python), misuse.python);
  }
}
