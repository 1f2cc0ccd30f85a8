// Of gpt-attention and single-and-multi: what their layers and classes really do.
#include <cmath>

#include "apps/lesson/costs.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/sources/errata.h"
#include "engine/ops.h"
#include "engine/print.h"
#include "nn/functional.h"
#include "nn/gpt_attention.h"
#include "nn/single_and_multi.h"

namespace glassgrad::learn::errata_parts {
namespace {

Tensor masked(const Tensor& scores) {
  return masked_fill(scores, nn::future_mask(scores.size(-1)), nn::kMinusInfinity);
}

void scaled_twice(Narrator& l, const Settings& s) {
  const int64_t d = s.inputs.size(1);
  manual_seed(s.seed("--seed"));
  const nn::gpt_attention::SelfAttention sa(d, d);
  const NoGrad off;
  const Tensor scores = matmul(sa.W_query(s.inputs), sa.W_key(s.inputs).T()) / std::pow(double(d), 0.5);
  l.step("scaled-twice", "gpt-attention: scores divided by the root twice");
  l.code(
      "attn_scores = queries @ keys.T / d**0.5\nright = torch.softmax(masked(attn_scores), dim=-1)\n"
      "twice = torch.softmax(masked(attn_scores) / d**0.5, dim=-1)");
  const Tensor right = l.show("right", softmax(masked(scores), -1));
  const Tensor twice = l.show("twice", softmax(masked(scores) / std::pow(double(d), 0.5), -1));
  l.say(
      "The page makes scores that are scaled, and a section later scales them again inside softmax. Its own "
      "class does it once.");
  l.say(
      "The weights are off by up to {}, and no error tells of it: what is divided once more comes out "
      "flatter.",
      apart(right, twice));
}

void ten_per_cent(Narrator& l, const Settings& s) {
  const double p = s.fraction("--dropout");
  manual_seed(s.seed("--seed"));
  const Tensor dropped = nn::functional::dropout(ones({100}), p);
  l.step("ten-per-cent", "gpt-attention: what dropout adds");
  l.code(fmt::format("torch.nn.functional.dropout(torch.ones(100), {}).max()", python_float(p)));
  l.say("With p = 0.1, the page says, what remains is increased by ten per cent.");
  if (p < 1)
    l.say(
        "The factor is 1 / (1 - p). For p = {} it is {}, so {:.2f} % more; in the run the largest of 100 "
        "ones is {} afterwards.",
        python_float(p), digits(1 / (1 - p)), 100 * (1 / (1 - p) - 1), digits(max(dropped)));
  else
    l.say("With p = 1 nothing remains: the largest of 100 ones is {} afterwards.", digits(max(dropped)));
}

void embeddings_split(Narrator& l, const Settings& s) {
  const int64_t d = s.inputs.size(1), tokens = s.inputs.size(0);
  const nn::gpt_attention::MultiHeadAttention one(d, 2 * d, 2, tokens, 0.0);
  l.step("what-is-split", "gpt-attention: what is split among the heads");
  l.code(fmt::format("mha = MultiHeadAttention({0}, {1}, 2, {2}, 0.0)\nprint(mha.W_query.weight.shape)", d,
                     2 * d, tokens));
  l.say(
      "The text splits the input embeddings among the heads. The code splits what the projections give: "
      "every head sees the whole row of {}, through rows of W_query of its own ({} for two heads).",
      counted(d, "feature"), to_string(one.W_query.weight.shape()));
  l.say(
      "Nor has the result the embeddings' width, as the text says, unless one asks for it: with d_out = {} "
      "it is {} wide.",
      2 * d, one(s.inputs.unsqueeze(0)).size(2));
}

void before_itself(Narrator& l, const Settings& s) {
  const int64_t tokens = s.inputs.size(0);
  const Tensor scores = matmul(s.inputs, s.inputs.T());
  const Tensor strict = to(triu(ones({tokens, tokens}), 0), boolean);
  l.step("before-itself", "gpt-attention: only the tokens before it?");
  l.code(
      "# triu(ones, 1) and triu(ones, 0) as masks\nwith_diagonal = torch.softmax(hide(scores, 1), dim=-1)\n"
      "without_diagonal = torch.softmax(hide(scores, 0), dim=-1)");
  const Tensor kept = l.show("with_diagonal", softmax(masked(scores), -1));
  const Tensor taken =
      l.show("without_diagonal", softmax(masked_fill(scores, strict, nn::kMinusInfinity), -1));
  l.say(
      "The text lets a token see only those before it. The code's mask begins at diagonal=1: the token "
      "itself is seen as well, {} with {}.",
      in_quotes(s.tokens[0]), digits(kept[0][0]));
  l.say("Taken by the word, {} would see nothing, and its row is {}.", in_quotes(s.tokens[0]),
        joined_digits(taken[0], ", ", 3));
  l.say(
      "Smaller slips of that page: its CausalAttention is said to inherit from SelfAttention and inherits "
      "from Module; its first layers are drawn without a seed, so their numbers cannot be had again; dim=1 "
      "is the last dimension only as long as there is no batch.");
}

void how_large(Narrator& l) {
  constexpr int64_t kVocabulary = 50257, kPositions = 1024, kWidth = 768, kBlocks = 12;
  constexpr int64_t kAttention = 4 * kWidth * kWidth + 4 * kWidth, kNorms = 4 * kWidth;
  constexpr int64_t kFeedForward = 8 * kWidth * kWidth + 5 * kWidth;
  const int64_t embeddings = (kVocabulary + kPositions) * kWidth;
  const int64_t blocks = kBlocks * (kAttention + kFeedForward + kNorms);
  l.step("how-large", "gpt-attention: the size of the smallest GPT-2");
  l.formula("(V + T) d + L (12 d^2 + 13 d) + 2 d", R"((V + T)\, d + L\, (12 d^2 + 13 d) + 2 d)");
  l.show("numbers", from_values(std::vector<int64_t>{embeddings, blocks, 2 * kWidth}, {3}));
  l.say(
      "The page says 117 million parameters, a number that has been copied since the model came out. With "
      "{} tokens, {} positions, {} blocks and a width of {} the parts are {}, {} and {} numbers.",
      kVocabulary, kPositions, kBlocks, kWidth, embeddings, blocks, 2 * kWidth);
  l.say("Together that is {}: {:.0f} million.", embeddings + blocks + 2 * kWidth,
        double(embeddings + blocks + 2 * kWidth) / 1e6);
}

}  // namespace

void in_gpt_attention(Narrator& l, const Settings& s) {
  scaled_twice(l, s);
  ten_per_cent(l, s);
  embeddings_split(l, s);
  before_itself(l, s);
  how_large(l);
}

void in_single_and_multi(Narrator& l, const Settings& s) {
  constexpr int64_t kVocabulary = 20, kWidth = 8, kLongest = 16;
  manual_seed(s.seed("--seed"));
  const nn::single_and_multi::MyGPT model(kVocabulary, kWidth, kLongest, 16, true, 2);
  const Tensor ids = randint(0, kVocabulary, {2, 6});
  l.given("model", model);
  l.step("unused-norm", "single-and-multi: a layer that is never used");
  l.code(
      "model = MyGPT(20, 8, 16, 16, num_heads=2)\nlogits, loss = model(inputs, targets)\nloss.backward()\n"
      "print(model.ln_f.weight.grad)");
  const Tensor loss =
      l.show("loss", model(ids.slice(1, 0, -1).contiguous(), ids.slice(1, 1, {}).contiguous()).loss);
  l.loss("loss", loss);
  loss.backward();
  l.show("ln_f.weight", model.ln_f.weight);
  l.show("fc_out.bias", model.fc_out.bias);
  l.say(
      "The model makes a layer norm, ln_f, and forward() does not call it. After a backward pass its "
      "gradient is {}: it cannot learn, and its weights are what they were, {} to {}.",
      model.ln_f.weight.grad() ? "there" : "None", digits(min(model.ln_f.weight)),
      digits(max(model.ln_f.weight)));
  l.say("The last layer, fc_out, is used: the gradient of its bias has numbers up to {}.",
        digits(max(abs(model.fc_out.bias.grad()))));
  int64_t without = 0;
  for (const Tensor& p : model.parameters()) without += p.grad() ? 0 : p.numel();
  l.say("{} of the model's {} numbers get no gradient at all. They are saved and counted all the same.",
        without, numbers_in(model.named_parameters()));

  const auto refused = [] {
    try {
      const nn::single_and_multi::MultiHeadAttention wrong(10, 3);
    } catch (const Error& error) {
      return fmt::format("{}: '{}'", error.kind(), error.what());
    }
    return std::string("no error");
  };
  l.step("not-runnable", "single-and-multi: code that does not run as printed");
  l.code("MultiHeadAttention(10, num_heads=3)");
  l.say(
      "Imports, the embedding, the positions, the feed-forward class and compute_loss are missing; max_len "
      "is an argument that nothing reads. The lesson says what was put there.");
  l.say("10 features for 3 heads end with {}: an assert without a word about what is wrong.", refused());
  l.say(
      "fc_out names the last layer of the attention and that of the model, of shapes {} and {}: in a list "
      "of weights one has to look at the whole name.",
      to_string(Dims{kWidth, kWidth}), to_string(model.fc_out.weight.shape()));
}

}  // namespace glassgrad::learn::errata_parts
