#include "apps/lessons/gpt_attention/gpt_attention.h"

#include <fmt/format.h>

#include "apps/lesson/opening.h"
#include "apps/lessons/journey/journey.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--d-out", Kind::Count, "2", "Width of queries, keys and values, but for MultiHeadAttention", 4096},
    {"--dropout", Kind::Fraction, "0.1", "Rate of the dropout demonstration and of CausalAttention"},
    {"--heads", Kind::Count, "12", "Heads of the GPT-2-sized step; they divide --width", 4096},
    {"--width", Kind::Count, "768", "Width of a token in the GPT-2-sized step", 4096},
    {"--context", Kind::Count, "1024", "Tokens of a text in the GPT-2-sized step", 4096},
};
constexpr Axes kAxes[] = {
    {"context_vecs one_head", "token d_out"},
    {"context:context_vecs attention-formula:context_vecs scaled_context", "token d_in"},
    {"products", "d_in"},
    {"W_q", "d_in d_out"},
    {"q_2", "d_out"},
    {"Q by_hand", "token d_out"},
    {"unscaled att_scores strict_mask", "query key"},
    {"small-gradients:weights", "factor key", kRowSums},
    {"gradients", "factor key"},
    {"strict_weights as_run right dim_1 dropped", "query key", kRowSums},
    {"difference", "query key"},
    {"last_row", "row key", kRowSums},
    {"row_sums", "query"},
    {"column_sums", "key"},
    {"rates", "rate"},
    {"growth", "rate rule"},
    {"W_keys.weight", "d_out d_in"},
    {"heads-cut:queries heads-cut:keys heads-cut:values", "token head head_dim"},
    {"heads-in-front:queries heads-in-front:keys heads-in-front:values heads-context:context_vec",
     "head token head_dim"},
    {"transposed", "token head head_dim"},
    {"heads-combined:context_vec", "token d_out"},
    {"y_right y_swapped", "position d_out"},
    {"sizes", "model quantity"},
    {"gpt-batch:batch", "position width"},
    {"gpt-attention:context_vecs", "position width"},
    {"gpt-weights:attn_weights", "query_position key_position", kRowSums},
    {"last_query", "key_position"},
    {"gpt-weights:row_sums", "head query_position"},
};
constexpr const char* kTokens[] = {"Your", "journey", "starts", "with", "one", "step"};

Plan plan(const Settings& s) {
  const double tokens = double(s.inputs.size(0)), d_in = double(s.inputs.size(1));
  const double d_out = double(s.count("--d-out"));
  const double heads = double(s.count("--heads")), width = double(s.count("--width"));
  const double context = double(s.count("--context"));
  check_heads(fmt::format("--width {}", width), "d_out", s.count("--width"), s.count("--heads"));
  return {tokens * tokens * 150 + tokens * d_out * 60 + d_in * d_out * 40 +
              context * context * (6 * heads + 2) + context * width * 30 + width * width * 8,
          "fewer rows, a smaller --context or --width, or fewer --heads", 2};
}

// The source works on the sentence of the lesson journey.
Tensor inputs(const Settings& s) { return journey.inputs(s); }

void tell(Narrator& lesson, const Settings& settings) {
  using namespace gpt_attention_parts;
  opening(lesson, settings, "1.1");
  simple_attention(lesson, settings);
  formulas(lesson, settings);
  const Trained trained = trainable_attention(lesson, settings);
  self_attention(lesson, settings);
  const Tensor attn_weights = causal_mask(lesson, settings, trained);
  dropout(lesson, settings, attn_weights);

  const Tensor batch = stack({settings.inputs, settings.inputs}, 0);
  causal_class(lesson, settings, batch);
  multi_head_class(lesson, settings, batch);
  argument_order(lesson, settings);
  gpt_sized(lesson, settings);
}

}  // namespace

const Lesson gpt_attention = {
    .id = "gpt-attention",
    .source = "Implementing GPT-Style Attention",
    .understand = "how a formula becomes a layer of GPT-2's size, and what a page can get wrong",
    .minutes = 45,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = kTokens,
    .inputs = inputs,
    .plan = plan,
    .tell = tell,
};

}  // namespace glassgrad::learn
