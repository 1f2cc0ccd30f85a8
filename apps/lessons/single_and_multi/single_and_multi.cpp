#include "apps/lessons/single_and_multi/single_and_multi.h"

#include <fmt/format.h>

#include "apps/cli/arguments.h"
#include "apps/lesson/opening.h"
#include "apps/lesson/phrases.h"
#include "engine/ops.h"
#include "engine/print.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--width", Kind::Count, "16", "Width of the embeddings, d_model; --inputs bring their own", 4096},
    {"--heads", Kind::Count, "8", "Heads of MultiHeadAttention; they divide the width", 4096},
    {"--hidden", Kind::Count, "32", "Width between the feed-forward layers", 16384},
    {"--vocab", Kind::Count, "20", "Tokens that MyGPT knows", 65536},
};
constexpr Axes kAxes[] = {
    {"x single-projections:Q single-projections:K single-projections:V", "token d_model"},
    {"attention.query.weight.grad[0]", "d_model"},
    {"query.weight key.weight value.weight multi-attention:fc_out.weight", "d_model d_model"},
    {"query.bias key.bias value.bias multi-attention:fc_out.bias", "d_model"},
    {"product attention_scores mask divided_scores mask_3 mask_7", "query key"},
    {"attention_weights divided_weights", "query key", kRowSums},
    {"output_3 output_7", "token d_model"},
    {"multi-projections:Q multi-projections:K multi-projections:V", "token d_model"},
    {"multi-view:Q multi-view:K multi-view:V", "token head head_dim"},
    {"multi-transpose:Q multi-transpose:K multi-transpose:V straight", "head token head_dim"},
    {"multi-context:attention_output", "head token head_dim"},
    {"multi-combined:transposed", "token head head_dim"},
    {"head_0", "token head_dim"},
    {"gpt-multi-forward:attention_output", "position d_model"},
    {"out attention_output", "token d_model"},
    {"score_multiplications multiplications weights", "class"},
    {"single-against-multi:parameters", "class"},
    {"parameters", "part"},
    {"ids inputs targets before argmax token_losses p_target", "position"},
    {"embedding.token.weight", "id d_model"},
    {"positions tokens embeddings normalised attn_output ffn_output", "position d_model"},
    {"gpt-single-attention:Q gpt-single-attention:K gpt-single-attention:V", "position d_model"},
    {"gpt-multi-forward:Q gpt-multi-forward:K gpt-multi-forward:V", "head position head_dim"},
    {"gpt-single-attention:attention_scores gpt-multi-forward:attention_scores",
     "query_position key_position"},
    {"gpt-single-attention:attention_weights gpt-multi-forward:attention_weights",
     "query_position key_position", kRowSums},
    {"fc1.weight", "hidden d_model"},
    {"fc2.weight", "d_model hidden"},
    {"fc1.bias", "hidden"},
    {"fc2.bias", "d_model"},
    {"hidden hidden_relu", "position hidden"},
    {"fc_out.weight", "vocab d_model"},
    {"fc_out.bias bias_grad fc_out.bias.grad first_change", "vocab"},
    {"logits", "position vocab"},
    {"probabilities", "position vocab", kRowSums},
    {"spread", "stage"},
    {"training_losses", "step"},
    {"token_grad", "id"},
    {"position_grad", "position"},
    {"losses", "model step"},
};

// x as the lesson draws it, from a generator of its own.
Tensor inputs(const Settings& s) {
  Generator g(s.seed("--seed"));
  return randn({2, 5, s.count("--width")}, float32, g);
}

Plan plan(const Settings& s) {
  const int64_t width = s.inputs.size(-1);
  check<UsageError>(
      !s.was_given("--width") || s.count("--width") == width,
      "--width {} and the inputs' {} features differ: leave --width out, or give inputs of that width",
      s.count("--width"), width);
  check_heads(s.own_inputs ? fmt::format("the inputs' width {}", width) : fmt::format("--width {}", width),
              "d_model", width, s.count("--heads"));

  const double batch = double(s.inputs.size(0)), tokens = double(s.inputs.size(1)), d = double(width);
  const double heads = double(s.count("--heads")), hidden = double(s.count("--hidden"));
  const double vocab = double(s.count("--vocab"));
  return {batch * tokens * (tokens * (12 + 8 * heads) + 40 * d) +
              d * (100 * d + 30 * hidden + 30 * (vocab + 5000)),
          "fewer or shorter rows, or a smaller --heads, --hidden or --vocab"};
}

void show_inputs(Narrator& l, const Settings& s, const Tensor& x) {
  l.step("inputs", "2.1", "Something to look at");
  l.code("import math\nimport torch\nimport torch.nn as nn\nimport torch.nn.functional as F");
  l.code(set_seed(s, "--seed"));
  l.code(s.own_inputs ? "x = torch.tensor([...])"
                      : fmt::format("x = torch.randn({}, {}, {})", x.size(0), x.size(1), x.size(2)));
  l.show("x", x);
  l.say("The post shows classes and never runs them: no imports, no inputs, no seed. We fill these in.");
  l.say("x is {}: {} of {} tokens, and for each token a row of d_model = {}{}.", to_string(x.shape()),
        counted(x.size(0), "sentence"), x.size(1), counted(x.size(2), "number"),
        s.own_inputs ? "" : ", drawn at random");
  l.say("These three sizes are called B, T and C from here on: batch, tokens, channels.");
}

void tell(Narrator& lesson, const Settings& settings) {
  using namespace single_and_multi_parts;
  Settings first_sentence = settings;
  first_sentence.inputs = settings.inputs[0];
  opening(lesson, first_sentence, "1.1");

  manual_seed(settings.seed("--seed"));
  const int64_t heads = settings.count("--heads"), d_model = settings.inputs.size(2);
  const Tensor x = settings.own_inputs ? settings.inputs : randn(settings.inputs.shape());
  const SingleHeadAttention single(d_model);
  const MultiHeadAttention multi(d_model, heads);
  lesson.own("single", single);
  lesson.own("multi", multi);
  show_inputs(lesson, settings, x);
  single_head(lesson, settings, single, x);
  multi_head(lesson, settings, multi, x);
  single_against_multi(lesson, single, multi, heads, x);

  Guesser first;
  for (const bool use_multiple_head : {false, true}) {
    Guesser g = draw(settings, use_multiple_head);
    lesson.own(use_multiple_head ? "gpt_multi" : "gpt_single", *g.model);
    model(lesson, settings, g);
    forward(lesson, g);
    training(lesson, g);
    if (!use_multiple_head) first = std::move(g);
  }
  same_ids(lesson, settings, first);
}

}  // namespace

const Lesson single_and_multi = {
    .id = "single-and-multi",
    .source = "Building a GPT from scratch: adding single-head and multi-head attention",
    .understand = "how one head becomes several, and how a small GPT computes its loss and learns",
    .minutes = 40,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = {},
    .inputs = inputs,
    .plan = plan,
    .tell = tell,
};

}  // namespace glassgrad::learn
