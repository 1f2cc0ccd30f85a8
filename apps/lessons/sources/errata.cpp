// What each of the five sources gets wrong: the claim, and what the run shows.
#include "apps/lessons/sources/errata.h"

#include "apps/lessons/cat/cat.h"
#include "apps/lessons/sources/sources.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--dropout", Kind::Fraction, "0.1", "Rate of the dropout that is said to add ten per cent"},
};
constexpr Axes kAxes[] = {
    {"right twice right_weights leaking", "query key", kRowSums},
    {"with_diagonal without_diagonal", "query key", kRowSums},
    {"rounded_sums exact_sums", "query"},
    {"attn_scores_2", "key"},
    {"by_text", "query"},
    {"drawn", "d_in d_out"},
    {"of_inputs", "token d_in"},
    {"of_values", "token d_out"},
    {"zeroed_weights", "query key", kRowSums},
    {"zeroed_scores", "query key", kRowSums},
    {"one_wide scaled_one_wide", "query key"},
    {"answers", "batch token d_in"},
    {"numbers", "part"},
    {"training evaluation", "token d_out"},
    {"ln_f.weight", "d_model"},
    {"fc_out.bias", "vocab"},
};
constexpr const char* kTokens[] = {"The", "cat", "sat", "on", "the", "mat"};

void question(Narrator& l, const Settings& s) {
  l.step("question", "Five good pages. What do they get wrong?");
  l.show("inputs", s.inputs);
  l.say(
      "Every page that explains attention has slips: a word for another, code that was never run, a number "
      "said from memory.");
  l.say(
      "A reader who trusts the page looks for the mistake in himself. So each slip stands here with the "
      "claim in our words and a run that decides.");
  l.say(
      "The lessons of the sources show most of these again at the place where a reader meets them. All runs "
      "use the inputs above.");
}

void remember(Narrator& l) {
  l.step("remember", "To remember");
  l.say(
      "The formulas on the five pages are right. What is wrong stands beside them: factors, names, shapes, "
      "and what a mask or an average is said to do.");
  l.say(
      "Three checks find nearly all of it: add up the rows, change the last token and look at the first, "
      "and print shapes.");
  l.say("A page whose code was not run as printed cannot be trusted to the last digit; a run can.");
}

Tensor inputs(const Settings& s) { return cat.inputs(s); }

Plan plan(const Settings& s) {
  const double tokens = double(s.inputs.size(0));
  return {tokens * tokens * 60 + tokens * double(s.inputs.size(1)) * 30, "fewer rows", 4};
}

void tell(Narrator& l, const Settings& s) {
  question(l, s);
  errata_parts::in_gpt_attention(l, s);
  errata_parts::in_single_and_multi(l, s);
  errata_parts::in_cat(l, s);
  errata_parts::in_climb(l, s);
  errata_parts::in_journey(l, s);
  remember(l);
}

}  // namespace

const Lesson errata = {
    .id = "errata",
    .group = Group::Sources,
    .source = "What do the five sources get wrong?",
    .understand = "which sentences and lines of the sources do not hold, and how a run shows it",
    .minutes = 20,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = kTokens,
    .inputs = inputs,
    .plan = plan,
    .tell = tell,
};

}  // namespace glassgrad::learn
