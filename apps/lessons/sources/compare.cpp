// Where the five sources disagree, each point run with their classes.
#include "apps/lessons/sources/compare.h"

#include "apps/lesson/phrases.h"
#include "apps/lessons/cat/cat.h"
#include "apps/lessons/sources/sources.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

using Kind = Parameter::Kind;
constexpr Parameter kParameters[] = {
    {"--seed", Kind::Seed, "123", "Seed of all random numbers"},
    {"--heads", Kind::Count, "2", "Heads, where there are several; they divide the width of the inputs", 64},
};
constexpr Axes kAxes[] = {
    {"outputs", "class token d_out"},
    {"differences biases parameters", "class"},
    {"queries_of gradients", "class d_out d_in"},
    {"layer drawn_uniform", "d_out d_in"},
    {"float_mask bool_mask lower_mask", "query key"},
    {"new_scores in_place masked_first scaled_first", "query key"},
    {"right twice", "query key", kRowSums},
    {"before_softmax", "query key"},
    {"after_softmax", "query key", kRowSums},
    {"first_call second_call", "token d_out"},
};
constexpr const char* kTokens[] = {"The", "cat", "sat", "on", "the", "mat"};

Tensor inputs(const Settings& s) { return cat.inputs(s); }

Plan plan(const Settings& s) {
  const int64_t width = s.inputs.size(1), heads = s.count("--heads");
  check_heads(fmt::format("inputs with {} features", width), "their width", width, heads);
  const double tokens = double(s.inputs.size(0));
  return {tokens * tokens * (60 + 8 * double(heads)) + tokens * double(width) * 60, "fewer rows", 4};
}

void remember(Narrator& l) {
  l.step("remember", "To remember");
  l.say(
      "With equal weights the five classes compute the same attention. What differs is how they are built, "
      "drawn, called and named.");
  l.say(
      "Before you compare numbers of two pages, ask for five things: bias, order of drawing, layout of the "
      "weights, what d_out means, and the order of the arguments.");
  l.say(
      "Before you change a mask or a scale, look whether it stands before or after the other; with -inf it "
      "does not matter, with every other number it does.");
}

void tell(Narrator& l, const Settings& s) {
  using namespace compare_parts;
  one_computation(l, s);
  biases(l, s);
  drawing(l, s);
  masks(l, s);
  scaling(l, s);
  calls(l, s);
  words_and_sizes(l, s);
  remember(l);
}

}  // namespace

const Lesson compare = {
    .id = "compare",
    .group = Group::Sources,
    .source = "Where do the five sources disagree?",
    .understand = "what the five attention classes share, and which differences change numbers",
    .minutes = 15,
    .parameters = kParameters,
    .axes = kAxes,
    .tokens = kTokens,
    .inputs = inputs,
    .plan = plan,
    .tell = tell,
};

}  // namespace glassgrad::learn
