#include "apps/ask/classes.h"

#include <algorithm>
#include <string>
#include <vector>

#include "apps/cli/arguments.h"
#include "engine/core/error.h"
#include "nn/cat.h"
#include "nn/climb.h"
#include "nn/gpt.h"
#include "nn/gpt_attention.h"
#include "nn/single_and_multi.h"

namespace glassgrad {
namespace {

using Made = std::unique_ptr<nn::Module>;
using Reads = ModuleClass::Reads;
namespace gpt = nn::gpt_attention;
namespace multi = nn::single_and_multi;

template <class M, class... A>
Made made(const A&... arguments) {
  return std::make_unique<M>(arguments...);
}

constexpr ModuleClass kClasses[] = {
    {"journey.SelfAttention_v1", Reads::Rows,
     [](const ModuleSizes& s) { return made<nn::journey::SelfAttention_v1>(s.width, s.width); }},
    {"journey.SelfAttention_v2", Reads::Rows,
     [](const ModuleSizes& s) { return made<nn::journey::SelfAttention_v2>(s.width, s.width); }},
    {"journey.CausalAttention", Reads::Batch,
     [](const ModuleSizes& s) {
       return made<nn::journey::CausalAttention>(s.width, s.width, s.tokens, 0.0);
     }},
    {"journey.MultiHeadAttentionWrapper", Reads::Batch,
     [](const ModuleSizes& s) {
       return made<nn::journey::MultiHeadAttentionWrapper>(s.width, s.width / s.heads, s.tokens, 0.0,
                                                           s.heads);
     }},
    {"journey.MultiHeadAttention", Reads::Batch,
     [](const ModuleSizes& s) {
       return made<nn::journey::MultiHeadAttention>(s.width, s.width, s.tokens, 0.0, s.heads);
     }},
    {"gpt-attention.SelfAttention", Reads::Rows,
     [](const ModuleSizes& s) { return made<gpt::SelfAttention>(s.width, s.width); }},
    {"gpt-attention.CausalAttention", Reads::Batch,
     [](const ModuleSizes& s) { return made<gpt::CausalAttention>(s.width, s.width, s.tokens); }},
    {"gpt-attention.MultiHeadAttention", Reads::Batch,
     [](const ModuleSizes& s) {
       return made<gpt::MultiHeadAttention>(s.width, s.width, s.heads, s.tokens, 0.0);
     }},
    {"single-and-multi.SingleHeadAttention", Reads::Batch,
     [](const ModuleSizes& s) { return made<multi::SingleHeadAttention>(s.width); }},
    {"single-and-multi.MultiHeadAttention", Reads::Batch,
     [](const ModuleSizes& s) { return made<multi::MultiHeadAttention>(s.width, s.heads); }},
    {"single-and-multi.FeedForwardNN", Reads::Batch,
     [](const ModuleSizes& s) { return made<multi::FeedForwardNN>(s.width, s.hidden); }},
    {"single-and-multi.GPTEmbedding", Reads::Ids,
     [](const ModuleSizes& s) { return made<multi::GPTEmbedding>(s.vocab, s.width, s.tokens); }},
    {"single-and-multi.MyGPT", Reads::Ids,
     [](const ModuleSizes& s) {
       return made<multi::MyGPT>(s.vocab, s.width, s.tokens, s.hidden, true, s.heads);
     }},
    {"cat.CausalAttention", Reads::Batch,
     [](const ModuleSizes& s) { return made<nn::cat::CausalAttention>(s.width, s.width, s.tokens); }},
    {"cat.MultiHeadAttentionWrapper", Reads::Batch,
     [](const ModuleSizes& s) {
       return made<nn::cat::MultiHeadAttentionWrapper>(s.width, s.width / s.heads, s.tokens, 0.0, s.heads);
     }},
    {"cat.MultiHeadAttention", Reads::Batch,
     [](const ModuleSizes& s) {
       return made<nn::cat::MultiHeadAttention>(s.width, s.width, s.tokens, 0.0, s.heads);
     }},
    {"climb.SimpleAverageSelfAttention", Reads::Batch,
     [](const ModuleSizes& s) {
       return made<nn::climb::SimpleAverageSelfAttention>(nn::climb::Config{{s.tokens, 1}});
     }},
    {"climb.SingleSelfAttentionHead", Reads::Batch,
     [](const ModuleSizes& s) {
       return made<nn::climb::SingleSelfAttentionHead>(s.tokens, s.width, s.width);
     }},
    {"nn.Linear", Reads::Batch, [](const ModuleSizes& s) { return made<nn::Linear>(s.width, s.hidden); }},
    {"nn.Embedding", Reads::Ids, [](const ModuleSizes& s) { return made<nn::Embedding>(s.vocab, s.width); }},
    {"nn.LayerNorm", Reads::Batch, [](const ModuleSizes& s) { return made<nn::LayerNorm>(Dims{s.width}); }},
    {"nn.GPT", Reads::Ids,
     [](const ModuleSizes& s) {
       return made<nn::GPT>(nn::GPTConfig{.vocab_size = s.vocab,
                                          .context_length = s.tokens,
                                          .width = s.hidden,
                                          .layers = 2,
                                          .heads = s.heads});
     }},
};

}  // namespace

std::span<const ModuleClass> classes() { return kClasses; }

const ModuleClass* class_called(std::string_view name) {
  const auto found = std::find_if(std::begin(kClasses), std::end(kClasses),
                                  [&](const ModuleClass& c) { return c.name == name; });
  return found == std::end(kClasses) ? nullptr : found;
}

const ModuleClass& find_class(std::string_view name) {
  if (const ModuleClass* found = class_called(name)) return *found;
  std::vector<std::string> names;
  for (const ModuleClass& c : kClasses) names.emplace_back(c.name);
  fail<UsageError>("there is no class '{}': did you mean {}?", name, nearest(name, names));
}

bool names_class(std::string_view name) {
  const size_t dot = name.find('.');
  return dot != name.npos && std::any_of(std::begin(kClasses), std::end(kClasses), [&](const ModuleClass& c) {
           return std::string_view(c.name).substr(0, dot + 1) == name.substr(0, dot + 1);
         });
}

}  // namespace glassgrad
