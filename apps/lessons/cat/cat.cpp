#include "apps/lessons/cat/cat.h"

#include "apps/lesson/opening.h"
#include "engine/literal.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--d-out", Kind::Count, "4", "Width of queries, keys and values, but for the last class", 4096},
    {"--heads", Kind::Count, "8", "Heads of MultiHeadAttentionWrapper", 4096},
    {"--dropout", Kind::Fraction, "0", "Rate of the three classes' dropout"},
};
constexpr Axes kAxes[] = {
    {"products-2:query_2 scores-reversed:key_2", "d_out"},
    {"products-2:products", "key d_out"},
    {"reversed_2", "query"},
    {"signed_scores", "query key"},
    {"exponentials:x exponentials:exps", "number"},
    {"softmax-raw-2:exps", "key"},
    {"raw_weights_2", "key", kRowSums},
    {"peaked", "factor key", kRowSums},
    {"slopes", "factor"},
    {"variance scaled_variance", "width"},
    {"raw_against_scaled", "row key", kRowSums},
    {"zero-then-renormalise:row_sums", "query sum"},
    {"row_sums leak causal_leak", "query"},
    {"weighted_values", "token d_out"},
    {"context_2", "d_out"},
    {"context-2:weighted_inputs", "d_in"},
    {"zeroed renormalised dropped kept", "query key", kRowSums},
    {"causal_context", "token d_out"},
    {"split-heads:queries split-heads:keys split-heads:values", "token head head_dim"},
    {"split-transpose:queries split-transpose:keys split-transpose:values", "head token head_dim"},
    {"split-behind:context", "token head head_dim"},
    {"split-context:context", "head token head_dim"},
    {"split-combined:context out wrapper split", "token d_out"},
    {"gradients:grad", "d_out d_in"},
    {"products multiplications bytes mask_bytes parameters", "class"},
};
constexpr const char* kTokens[] = {"The", "cat", "sat", "on", "the", "mat"};

Tensor inputs(const Settings&) {
  return tensor({{0.43, 0.15, 0.89, 0.34},
                 {0.55, 0.87, 0.66, 0.45},
                 {0.57, 0.85, 0.64, 0.76},
                 {0.22, 0.58, 0.33, 0.12},
                 {0.77, 0.25, 0.10, 0.87},
                 {0.05, 0.80, 0.55, 0.54}});
}

Plan plan(const Settings& s) {
  const double tokens = double(s.inputs.size(0)), d_in = double(s.inputs.size(1));
  const double d_out = double(s.count("--d-out")), heads = double(s.count("--heads"));
  return {tokens * tokens * (350 + 18 * heads) + tokens * d_out * (40 + 12 * heads) +
              d_in * d_out * (12 + 3 * heads),
          "fewer rows, a smaller --d-out or fewer --heads", 2.5, 200 * heads};
}

void tell(Narrator& lesson, const Settings& settings) {
  using namespace cat_parts;
  opening(lesson, settings, "1.1");
  const Projected projected = projections(lesson, settings);
  const Tensor attn_scores = scores(lesson, settings, projected);
  const Attended attended = weights(lesson, settings, projected, attn_scores);
  const Tensor causal_weights = causal_table(lesson, settings, projected, attended);
  dropout_table(lesson, settings, causal_weights);

  const Tensor batch = stack({settings.inputs, settings.inputs}, 0);
  causal_class(lesson, settings, batch);
  wrapper_class(lesson, settings, batch);
  split_class(lesson, settings, batch);
  wrapper_against_split(lesson, batch);
}

}  // namespace

const Lesson cat = {
    .id = "cat",
    .source = "The cat sat on the mat",
    .understand = "what scaling, masking and dropout do to the weights, and what heads cost",
    .minutes = 45,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = kTokens,
    .inputs = inputs,
    .plan = plan,
    .tell = tell,
};

}  // namespace glassgrad::learn
