#include "apps/lessons/climb/climb.h"

#include "apps/cli/arguments.h"
#include "apps/lesson/opening.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--context", Kind::Count, "4", "Tokens in a chunk", 4096},
    {"--width", Kind::Count, "6", "Numbers in an embedding", 4096},
    {"--head-size", Kind::Count, "4", "Width of queries, keys and values", 4096},
};
constexpr Axes kAxes[] = {
    {"x X embedded one-hot:product y attention_output one_sentence", "token token_emb_dim"},
    {"chunk-and-target:ids", "word"},
    {"ids chunk target", "token"},
    {"first_chunk second_chunk", "place"},
    {"climb climbs", "token_emb_dim"},
    {"table", "id token_emb_dim"},
    {"one_hot", "token id"},
    {"contexts", "example token"},
    {"targets", "example"},
    {"relation causal_mask masked ones ones_masked", "query key"},
    {"normalised average-weights:weights by_text from_ones", "query key", kRowSums},
    {"row_sums", "query"},
    {"moved", "token"},
    {"database:keys", "row key_size"},
    {"database:query database:between", "key_size"},
    {"database:values database:matches", "row"},
    {"soft-lookup:scores", "row"},
    {"soft-lookup:weights", "factor row", kRowSums},
    {"found found_between", "factor"},
    {"party:query", "topic"},
    {"party:keys", "guest topic"},
    {"party:values party:dots", "guest"},
    {"party:weights", "guest", kRowSums},
    {"key_vector query_vector value_vector contextualised_embeddings out", "token head_size"},
    {"key.weight query.weight value.weight", "head_size token_emb_dim"},
    {"pair-score:query pair-score:key pair-score:products q k", "head_size"},
    {"variance scaled_variance", "size"},
    {"raw_against_scaled", "row key", kRowSums},
    {"weights:attention_weights", "query key", kRowSums},
    {"attention_weights mask", "query key"},
    {"zero_filled", "query key", kRowSums},
    {"key.weight.grad query.weight.grad value.weight.grad", "head_size token_emb_dim"},
    {"losses", "moment"},
};
constexpr const char* kTokens[] = {"cats", "climb", "trees", "during", "storms"};

Tensor inputs(const Settings& s) {
  Generator g(s.seed("--seed"));
  return randn({2, s.count("--context"), s.count("--width")}, float32, g);
}

void check_size(const Settings& s, const char* flag, int dim, const char* what) {
  const int64_t size = s.inputs.size(dim);
  check<UsageError>(!s.was_given(flag) || s.count(flag) == size,
                    "{} {} and --inputs do not go together: the file has {} {}; leave {} away", flag,
                    s.text(flag), size, what, flag);
}

Plan plan(const Settings& s) {
  check_size(s, "--context", 1, "tokens in a chunk");
  check_size(s, "--width", 2, "numbers for each token");
  const double batch = double(s.inputs.size(0)), tokens = double(s.inputs.size(1));
  const double width = double(s.inputs.size(2)), head_size = double(s.count("--head-size"));
  return {tokens * tokens * (40 + 25 * batch) + batch * tokens * (12 * width + 20 * head_size) +
              15 * width * head_size,
          "a smaller --context, --width or --head-size, or smaller inputs"};
}

void tell(Narrator& lesson, const Settings& settings) {
  using namespace climb_parts;
  Settings first = settings;
  first.inputs = settings.inputs[0];
  if (first.inputs.size(0) > 1) opening(lesson, first, "1.1");

  const Tensor x = words(lesson, settings);
  relations(lesson, settings);
  simple_average(lesson, settings, x);
  lookups(lesson);

  const SingleSelfAttentionHead head(x.size(1), x.size(2), settings.count("--head-size"));
  lesson.own("head", head);
  const Tensor out = lesson.call([&] { return head(x); });
  const Projected projected = projections(lesson, settings, head);
  const Tensor scaled_scores = scores(lesson, settings, projected);
  weights(lesson, settings, scaled_scores);
  output(lesson, settings, head, x, out);
  learning(lesson, settings, head, x, out);
}

}  // namespace

const Lesson climb = {
    .id = "climb",
    .source = "Attention Mechanism, Core of Transformer Models",
    .understand = "what one causal head is for, what each of its parts does, and how it learns",
    .minutes = 35,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = kTokens,
    .inputs = inputs,
    .plan = plan,
    .tell = tell,
};

}  // namespace glassgrad::learn
