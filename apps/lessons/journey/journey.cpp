#include "apps/lessons/journey/journey.h"

#include <fmt/format.h>

#include "apps/lesson/opening.h"
#include "engine/literal.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers but SelfAttention_v2's"},
    {"--seed-v2", Kind::Seed, "789", "Seed of SelfAttention_v2"},
    {"--d-out", Kind::Count, "2", "Width of queries, keys and values", 4096},
    {"--heads", Kind::Count, "2", "Heads of the multi-head classes; they divide --d-out", 4096},
    {"--dropout", Kind::Fraction, "0.5", "Rate of the dropout demonstration"},
};
constexpr Axes kAxes[] = {
    {"dot-product:query scores-2:query context-2:query products", "d_in"},
    {"lengths cosines", "token"},
    {"attn_weights_2_tmp attn_weights_2_naive softmax-naive:exps", "key"},
    {"weighted_inputs", "token d_in"},
    {"context-2:context_vec_2 context-check:context_vec_2 context-check:row_2", "d_in"},
    {"inputs.T", "d_in token"},
    {"row-sums:row_2", "key"},
    {"renormalised:row_sums masked-softmax:row_sums", "query sum"},
    {"row_sums", "query"},
    {"all_context_vecs", "token d_in"},
    {"trainable-context-2:context_vec_2", "d_out"},
    {"v2-layout:W_query.weight.T", "d_in d_out"},
    {"masked-softmax:exps mask_simple masked", "query key"},
    {"masked_simple masked_simple_norm dropped_weights", "query key", kRowSums},
    {"example dropped_example", "row column"},
    {"split-heads:queries split-heads:keys split-heads:values", "token head head_dim"},
    {"split-transpose:queries split-transpose:keys split-transpose:values", "head token head_dim"},
    {"split-context:context_vec", "token head head_dim"},
    {"wrapper:context_vecs", "token d_out"},
    {"batched-product:a", "batch head token head_dim"},
    {"batched-product:transpose", "batch head head_dim token"},
    {"batched-product:product", "query key"},
    {"first_head second_head", "token head_dim"},
    {"first_res second_res", "query key"},
};
constexpr const char* kTokens[] = {"Your", "journey", "starts", "with", "one", "step"};

Tensor inputs(const Settings&) {
  return tensor({{0.43, 0.15, 0.89},
                 {0.55, 0.87, 0.66},
                 {0.57, 0.85, 0.64},
                 {0.22, 0.58, 0.33},
                 {0.77, 0.25, 0.10},
                 {0.05, 0.80, 0.55}});
}

Plan plan(const Settings& s) {
  const int64_t d_out = s.count("--d-out"), heads = s.count("--heads");
  check_heads(fmt::format("--d-out {}", d_out), "d_out", d_out, heads);

  const double tokens = double(s.inputs.size(0)), d_in = double(s.inputs.size(1));
  const double width = double(d_out), parts = double(heads);
  return {tokens * tokens * (30 + 18 * parts) + tokens * width * (40 + 15 * parts) +
              d_in * width * (12 + 3 * parts) + width * width,
          "fewer rows, a smaller --d-out or fewer --heads", 3, 6 * tokens * tokens + 200 * parts};
}

void tell(Narrator& lesson, const Settings& settings) {
  using namespace journey_parts;
  opening(lesson, settings, "3.1");
  simple_attention(lesson, settings);
  trainable_attention(lesson, settings);

  manual_seed(settings.seed("--seed-v2"));
  const nn::journey::SelfAttention_v2 sa_v2(settings.inputs.size(1), settings.count("--d-out"));
  lesson.own("sa_v2", sa_v2);
  attention_classes(lesson, settings, sa_v2);
  const Tensor attn_weights = causal_masks(lesson, settings, sa_v2);
  dropout(lesson, settings, attn_weights);

  const Tensor batch = stack({settings.inputs, settings.inputs}, 0);
  causal_class(lesson, settings, batch);
  multi_head(lesson, settings, batch);
}

}  // namespace

const Lesson journey = {
    .id = "journey",
    .source = "Your journey starts with one step",
    .understand = "how attention grows from a dot product to causal multi-head attention",
    .minutes = 45,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = kTokens,
    .inputs = inputs,
    .plan = plan,
    .tell = tell,
};

}  // namespace glassgrad::learn
