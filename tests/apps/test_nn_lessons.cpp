// The classes of nn are the C++ form of the classes in the five walkthroughs: the same seed and the same
// inputs give the same random numbers, output and gradients, bit for bit.
#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "apps/lesson/document.h"
#include "apps/lessons/lesson_texts.h"
#include "apps/script/interpreter.h"
#include "apps/script/torch.h"
#include "nn/cat.h"
#include "nn/climb.h"
#include "nn/gpt_attention.h"
#include "nn/single_and_multi.h"
#include "tests/support.h"

using namespace glassgrad;
using namespace glassgrad::learn;
namespace gpt = nn::gpt_attention;
namespace multi = nn::single_and_multi;

namespace {

constexpr const char* kTokens = "torch.randn(5, 6)";
constexpr const char* kBatch = "torch.randn(2, 5, 6)";
constexpr const char* kIds = "torch.randint(0, 9, (2, 5))";

struct Pair {
  const char *lesson, *source;           // nn/SOURCE.h
  const char *name, *arguments, *input;  // as a program writes them
  std::function<std::unique_ptr<nn::Module>()> make;
};

template <class M, class... A>
std::function<std::unique_ptr<nn::Module>()> of(A... arguments) {
  return [=] { return std::make_unique<M>(arguments...); };
}

// In at least one pair, each argument differs from its default, so that dropout drops and biases exist.
const Pair kPairs[] = {
    {"journey", "journey", "SelfAttention_v1", "6, 4", kTokens, of<nn::journey::SelfAttention_v1>(6, 4)},
    {"journey", "journey", "SelfAttention_v2", "6, 4, True", kTokens,
     of<nn::journey::SelfAttention_v2>(6, 4, true)},
    {"journey", "journey", "CausalAttention", "6, 4, 7, 0.5", kBatch,
     of<nn::journey::CausalAttention>(6, 4, 7, 0.5)},
    {"journey", "journey", "MultiHeadAttentionWrapper", "6, 4, 7, 0.5, 3, True", kBatch,
     of<nn::journey::MultiHeadAttentionWrapper>(6, 4, 7, 0.5, 3, true)},
    {"journey", "journey", "MultiHeadAttention", "6, 12, 7, 0.5, 3", kBatch,
     of<nn::journey::MultiHeadAttention>(6, 12, 7, 0.5, 3)},
    {"gpt-attention", "gpt_attention", "SelfAttention", "6, 4", kTokens, of<gpt::SelfAttention>(6, 4)},
    {"gpt-attention", "gpt_attention", "CausalAttention", "6, 4, 7", kBatch,
     of<gpt::CausalAttention>(6, 4, 7)},
    {"gpt-attention", "gpt_attention", "MultiHeadAttention", "6, 12, 3, 7, 0.5", kBatch,
     of<gpt::MultiHeadAttention>(6, 12, 3, 7, 0.5)},
    {"single-and-multi", "single_and_multi", "SingleHeadAttention", "6", kBatch,
     of<multi::SingleHeadAttention>(6)},
    {"single-and-multi", "single_and_multi", "MultiHeadAttention", "6, 3", kBatch,
     of<multi::MultiHeadAttention>(6, 3)},
    {"single-and-multi", "single_and_multi", "FeedForwardNN", "6, 8", kBatch, of<multi::FeedForwardNN>(6, 8)},
    {"single-and-multi", "single_and_multi", "GPTEmbedding", "9, 6, 7", kIds,
     of<multi::GPTEmbedding>(9, 6, 7)},
    {"single-and-multi", "single_and_multi", "MyGPT", "9, 16, 7", kIds, of<multi::MyGPT>(9, 16, 7)},
    {"single-and-multi", "single_and_multi", "MyGPT", "9, 6, 7, 8, False", kIds,
     of<multi::MyGPT>(9, 6, 7, 8, false)},
    {"cat", "cat", "CausalAttention", "6, 4, 7, 0.5, True", kBatch,
     of<nn::cat::CausalAttention>(6, 4, 7, 0.5, true)},
    {"cat", "cat", "MultiHeadAttentionWrapper", "6, 4, 7", kBatch,
     of<nn::cat::MultiHeadAttentionWrapper>(6, 4, 7)},
    {"cat", "cat", "MultiHeadAttention", "6, 16, 7", kBatch, of<nn::cat::MultiHeadAttention>(6, 16, 7)},
    {"climb", "climb", "SimpleAverageSelfAttention", "{'data': {'chunk_size': 5, 'batch_size': 2}}", kBatch,
     of<nn::climb::SimpleAverageSelfAttention>(nn::climb::Config{{5, 2}})},
    {"climb", "climb", "SingleSelfAttentionHead", "5, 6, 4", kBatch,
     of<nn::climb::SingleSelfAttentionHead>(5, 6, 4)},
};

const Document& walkthrough(std::string_view id) {
  static std::map<std::string, Document, std::less<>> all;
  auto at = all.find(id);
  if (at == all.end()) {
    const std::string file = std::string(id) + ".md";
    const auto& text = *std::ranges::find(lesson_texts(), file, &EmbeddedFile::name);
    at = all.emplace(id, read_document(text.bytes, file)).first;
  }
  return at->second;
}

// Calls f(step, name, block) for each class of a lesson.
template <class F>
void each_class(const Document& document, F f) {
  for (const DocumentStep& step : document.steps)
    for (const Item& item : step.items)
      if (const auto* block = std::get_if<FencedCode>(&item); block && block->inside.empty())
        for (const std::string& line : block->lines)
          if (line.starts_with("class ")) f(step, line.substr(6, line.find('(') - 6), *block);
}

// The global names of a program after its run.
class Ran {
 public:
  explicit Ran(const std::string& text) {
    try {
      program_ = script::parse(text, "<lesson>", in_.names());
      in_.run(program_);
    } catch (const script::Raised& e) {
      FAIL(script::last_line(in_, e.exception));
    }
  }
  std::vector<Tensor> tensors(const char* name) {
    std::vector<Tensor> all;
    for (const script::Value& x : in_.items(*in_.global(name))) all.push_back(tensor_of(x));
    return all;
  }
  Tensor tensor(const char* name) { return tensor_of(*in_.global(name)); }
  std::string text(const char* name) { return in_.str(*in_.global(name)); }

 private:
  static Tensor tensor_of(const script::Value& x) {
    const auto* object = x.as<script::TensorObject>();
    return object ? object->tensor : Tensor();
  }
  script::Heap heap_{size_t(1) << 28};
  script::Program program_;
  script::Interpreter in_{{.print = [](std::string_view) {}}};
};

bool same_bits(const Tensor& a, const Tensor& b) {
  if (!a || !b) return !a && !b;
  return a.dtype() == b.dtype() && equal(a, b);
}

}  // namespace

TEST_CASE("The classes of nn give the bits of the classes of the lessons") {
  for (const Pair& pair : kPairs) {
    INFO(fmt::format("{}: {}({})", pair.lesson, pair.name, pair.arguments));
    const Document& document = walkthrough(pair.lesson);
    std::string text = "import torch, math\nfrom torch import nn\nimport torch.nn.functional as F\n";
    each_class(document, [&](const DocumentStep&, const std::string&, const FencedCode& block) {
      if (!text.ends_with(block.program({}))) text += block.program({});  // a block may hold two classes
    });
    text += fmt::format(R"(
torch.manual_seed(1)
x = {}
torch.manual_seed(123)
module = {}({})
shown = repr(module)
names = ' '.join(module.state_dict())
state = list(module.state_dict().values())
y = module(x)
if y.requires_grad:
    (y * y).sum().backward()
grads = [p.grad for p in module.parameters()]
)",
                        pair.input, pair.name, pair.arguments);
    Ran lesson(text);

    manual_seed(123);
    const std::unique_ptr<nn::Module> module = pair.make();
    std::string names;
    std::vector<Tensor> state, grads;
    for (const nn::NamedTensor& x : module->state_dict()) {
      names += (names.empty() ? "" : " ") + x.name;
      state.push_back(x.tensor);
    }
    CHECK(module->repr() == lesson.text("shown"));
    CHECK(names == lesson.text("names"));
    CHECK(std::ranges::equal(state, lesson.tensors("state"), same_bits));

    const Tensor y = (*module)(lesson.tensor("x"));
    CHECK(same_bits(y, lesson.tensor("y")));
    if (y.requires_grad()) sum(y * y).backward();
    for (const Tensor& p : module->parameters()) grads.push_back(p.grad());
    CHECK(std::ranges::equal(grads, lesson.tensors("grads"), same_bits));
  }
}

TEST_CASE("create_mask of nn gives the mask of its lesson") {
  std::string text = "import torch\n";
  for (const DocumentStep& step : walkthrough("gpt-attention").steps)
    for (const Item& item : step.items)
      if (const auto* block = std::get_if<FencedCode>(&item); block && step.id == "mask")
        text += block->program({});
  Ran lesson("import torch\nattn_scores = torch.zeros(5, 5)\n" + text);
  CHECK(same_bits(gpt::create_mask(5), lesson.tensor("mask")));
}

TEST_CASE("Every class of a walkthrough is in nn and its step says where") {
  std::string wrong;
  for (const std::string_view id : {"journey", "gpt-attention", "single-and-multi", "cat", "climb"})
    each_class(walkthrough(id), [&](const DocumentStep& step, const std::string& name, const FencedCode&) {
      const auto* const pair =
          std::ranges::find_if(kPairs, [&](const Pair& p) { return p.lesson == id && p.name == name; });
      if (pair == std::end(kPairs)) {
        wrong += fmt::format("{} is not compared\n", name);
        return;
      }
      const std::string file = fmt::format("`nn/{}.h`", pair->source);
      const bool named = std::ranges::any_of(step.items, [&](const Item& item) {
        const auto* paragraph = std::get_if<Paragraph>(&item);
        return paragraph && testing::contains(paragraph->text, file);
      });
      if (!named) wrong += fmt::format("{}, step {}: {} is not named\n", id, step.id, file);
    });
  CHECK(wrong == "");
}
