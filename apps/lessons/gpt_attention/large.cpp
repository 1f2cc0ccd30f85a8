// Section 4.3: attention in the size of GPT-2.
#include <cmath>

#include "apps/lesson/costs.h"
#include "apps/lesson/phrases.h"
#include "apps/lessons/gpt_attention/gpt_attention.h"
#include "engine/literal.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn::gpt_attention_parts {
namespace {

constexpr const char* kGpt = "4.3";
constexpr int64_t kBatch = 2, kExcerpt = 6;

std::string size_text(int64_t bytes) {
  return bytes < 1'000'000 ? counted(bytes, "byte") : fmt::format("{:.1f} MB", double(bytes) / 1e6);
}

int64_t attention_numbers(int64_t width) { return 4 * (width * width + width); }
// Of a whole GPT-2: embeddings of words and positions, blocks, a last LayerNorm.
int64_t model_numbers(int64_t layers, int64_t width) {
  constexpr int64_t kVocabulary = 50257, kPositions = 1024;
  return (kVocabulary + kPositions) * width + layers * (12 * width * width + 13 * width) + 2 * width;
}

void sizes(Narrator& l) {
  struct Gpt2 {
    int64_t layers, width, heads;
  };
  constexpr Gpt2 kSmallest{12, 768, 12}, kLargest{48, 1600, 25};
  std::vector<int64_t> table;
  for (const Gpt2& m : {kSmallest, kLargest})
    table.insert(table.end(), {m.layers, m.width, m.heads, m.width / m.heads, attention_numbers(m.width),
                               model_numbers(m.layers, m.width)});
  l.step("gpt-sizes", kGpt, "How large is GPT-2?");
  l.code("sizes: layers, width, heads, head_dim, numbers of one attention, numbers of the model");
  l.formula("one attention: 4 (d^2 + d)", R"(4 (d^2 + d))");
  l.formula("the model: (50257 + 1024) d + L (12 d^2 + 13 d) + 2 d",
            R"((50257 + 1024) d + L (12 d^2 + 13 d) + 2 d)");
  l.show("sizes", from_values(table, {2, 6}));
  l.say(
      "The smallest and the largest GPT-2. The text gives widths and heads; layers (12 and 48), vocabulary (50257) "
      "and positions (1024) are those that were published with the models.");
  l.say(
      "A head is {} wide in the smallest and {} in the largest. The largest has {:.1f} times as many heads but {:.1f} "
      "times as many numbers in one attention: {} against {}.",
      table[3], table[9], double(kLargest.heads) / double(kSmallest.heads),
      double(table[10]) / double(table[4]), table[4], table[10]);
  l.say(
      "The text says 117 million and 1.5 billion. Counted they are {} and {}: {:.0f} million, and {:.2f} billion.",
      table[5], table[11], double(table[5]) / 1e6, double(table[11]) / 1e9);
  l.say(
      "By default the next steps have the smallest one's size; --heads {} --width {} gives them the largest one's.",
      kLargest.heads, kLargest.width);
}

// Watches a call whose tables are too large to be kept, and takes a little from them.
struct Excerpts : Costs {
  Tensor corner, last_query, row_sums;  // of the first sentence: of head 0, of head 0, of all heads
  int64_t table = 0;                    // numbers in a table of all heads

  void named(const Tensor& x, const char* name) override {
    if (std::string_view(name) != "attn_weights" || table > 0) return;
    const Watch watch(before);  // these are part of the lesson
    table = x.numel();
    const Tensor weights = x.detach()[0];
    corner = clone(weights[0].slice(0, 0, kExcerpt).slice(1, 0, kExcerpt));
    last_query = clone(weights[0][weights.size(1) - 1]);
    row_sums = sum(weights, {-1});
  }
};

void batch_step(Narrator& l, const Settings& s, const Tensor& batch) {
  l.step("gpt-batch", kGpt, "Random texts of GPT's shape");
  l.code(set_seed(s, "--seed"));
  l.code(fmt::format("batch = torch.rand({}, {}, {})\nprint(batch.shape)", kBatch, batch.size(1),
                     batch.size(2)));
  l.show("batch", batch);
  l.print_line(size_repr(batch.shape()));
  l.say("{} texts, {} a text, {} a token: {} random numbers in place of embedded words.", kBatch,
        counted(batch.size(1), "token"), counted(batch.size(2), "number"), batch.numel());
  if (batch.numel() > print_options().threshold)
    l.say("A tensor of this size is printed with its corners only; the dots stand for the rest.");
}

void weights_step(Narrator& l, const nn::gpt_attention::MultiHeadAttention& mha, const Excerpts& seen) {
  const int64_t context = seen.last_query.size(0), bytes = seen.table * item_size(float32);
  l.step("gpt-weights", kGpt, "The weights of all heads");
  l.code(
      "mha = MultiHeadAttention(d_in, d_out, num_heads, context_length, 0.0)\n"
      "attn_weights[0, 0, :6, :6]\nattn_weights[0, 0, -1]\nattn_weights[0].sum(dim=-1)");
  l.show("W_query.weight", mha.W_query.weight);
  l.show("attn_weights", seen.corner);
  l.show("last_query", seen.last_query);
  l.show("row_sums", seen.row_sums);
  l.say("The layers hold {} numbers, {}.", numbers_in(mha.named_parameters()),
        size_text(numbers_in(mha.named_parameters()) * item_size(float32)));
  l.say(
      "The tables of all heads hold {} weights, {}, once as scores, once scaled, once as weights. You see "
      "the corner of one head, its last row, and the sums of the rows of all heads of the first text, which are "
      "off 1 by {:.1e} at most.",
      seen.table, size_text(bytes), max(abs(seen.row_sums - 1)).item());
  l.say("Twice as many tokens would make them four times as large: {} each.", size_text(4 * bytes));
  l.say(
      "The last token shares its attention among {}. An equal share would be {:.2g}; its weights lie between "
      "{:.2g} and {:.2g}.",
      counted(context, "token"), 1 / double(context), min(seen.last_query).item(),
      max(seen.last_query).item());
}

void attention_step(Narrator& l, const Tensor& context_vecs, const Excerpts& seen, int64_t width) {
  const int64_t context = context_vecs.size(1), layers = 4 * kBatch * context * width * width;
  const int64_t last = context - 1;
  l.step("gpt-attention", kGpt, "Attention as GPT has it");
  l.code(
      "context_vecs = mha(batch)\nprint(context_vecs)\nprint(\"context_vecs.shape:\", context_vecs.shape)");
  l.print("context_vecs", context_vecs);
  l.print_line("context_vecs.shape: " + size_repr(context_vecs.shape()));
  l.say("As wide as the inputs, {}: in GPT d_in = d_out, so that such layers can be stacked.", width);
  l.say(
      "All that took {} multiplications, {} in the four layers and {} between queries, keys and values, and made "
      "tensors of {}. {} of the {} scores were computed for nothing: the mask hides them.",
      seen.multiplications, layers, seen.multiplications - layers, size_text(seen.bytes),
      seen.table / context * (context - 1) / 2, seen.table);
  if (context < 4) return;
  const auto apart = [&](int64_t i, int64_t j) {
    return max(abs(context_vecs[0][i] - context_vecs[0][j])).item();
  };
  l.say("The first two rows differ by up to {}, the last two by {}.", digits(apart(0, 1)),
        digits(apart(last - 1, last)));
  if (apart(last - 1, last) < apart(0, 1) / 10)
    l.say("Who looks at many tokens with weights that nobody trained sees little more than their average.");
}

}  // namespace

void gpt_sized(Narrator& l, const Settings& s) {
  const int64_t width = s.count("--width"), context = s.count("--context");
  sizes(l);
  manual_seed(s.seed("--seed"));
  const Tensor batch = rand({kBatch, context, width});
  const nn::gpt_attention::MultiHeadAttention mha(width, width, s.count("--heads"), context, 0.0);
  l.own("mha", mha);
  Excerpts seen;
  const Tensor context_vecs = [&] {
    const Watch watch(&seen);
    return mha(batch);
  }();
  batch_step(l, s, batch);
  weights_step(l, mha, seen);
  attention_step(l, context_vecs, seen, width);
}

}  // namespace glassgrad::learn::gpt_attention_parts
