// What a GPT costs, known before it is built.
#include "engine/print.h"
#include "nn/gpt.h"

namespace glassgrad::nn {
namespace {

struct Preset {
  std::string_view name;
  GPTConfig config;
};
constexpr GPTConfig kGpt2;
constexpr Preset kPresets[] = {
    {"tiny", {.context_length = 32, .width = 64, .layers = 2, .heads = 4, .dropout = 0}},
    {"small", {.context_length = 64, .width = 128, .layers = 4, .heads = 4, .dropout = 0}},
    {"gpt2-124m", kGpt2},
};

// Weights and biases of what stands between the embeddings and the output.
struct Counts {
  int64_t in_matrices, in_vectors;
};
Counts block_counts(const GPTConfig& c) {
  const int64_t w = c.width;
  const int64_t matrices = 4 * w * w + 8 * w * w;  // query, key, value, out_proj; the two of the feed forward
  const int64_t biases = (c.bias ? 3 * w : 0) + w + 4 * w + w, norms = 4 * w;
  return {matrices, biases + norms};
}

}  // namespace

GPTConfig GPTConfig::preset(std::string_view name, int64_t vocab_size) {
  for (const Preset& p : kPresets)
    if (p.name == name) {
      GPTConfig config = p.config;
      config.vocab_size = vocab_size;
      return config;
    }
  fail<ValueError>("there is no preset '{}'; there are tiny, small and gpt2-124m", name);
}

void GPTConfig::check() const {
  struct Size {
    const char* name;
    int64_t value, most;  // so that no product of them overflows
  };
  for (const Size& s : {Size{"vocab_size", vocab_size, int64_t{1} << 24},
                        {"context_length", context_length, int64_t{1} << 20},
                        {"width", width, int64_t{1} << 16},
                        {"layers", layers, int64_t{1} << 10},
                        {"heads", heads, int64_t{1} << 16}})
    glassgrad::check<ValueError>(s.value >= 1 && s.value <= s.most,
                                 "GPT: {} must be between 1 and {}, but is {}", s.name, s.most, s.value);
  glassgrad::check<ValueError>(
      width % heads == 0,
      "GPT: every head gets the same share of width, but width {} is not divisible by "
      "heads {}",
      width, heads);
  glassgrad::check<ValueError>(dropout >= 0 && dropout < 1,
                               "GPT: dropout must be at least 0 and below 1, but is {}",
                               python_float(dropout));
}

int64_t GPTConfig::parameters() const {
  const Counts block = block_counts(*this);
  const int64_t embeddings = (vocab_size + context_length) * width, final_norm = 2 * width;
  const int64_t head = tie_weights ? 0 : vocab_size * width;
  return embeddings + layers * (block.in_matrices + block.in_vectors) + final_norm + head;
}

double GPTConfig::training_flops_per_token() const {
  const double matrices = double(layers * block_counts(*this).in_matrices + vocab_size * width);
  return 6 * matrices + 12 * double(layers) * double(width) * double(context_length);
}

GPTMemory training_memory(const GPTConfig& c, int64_t b, bool halves) {
  const double number = sizeof(float), half = halves ? 2 : number;
  const double parameters = number * double(c.parameters());
  const double context = double(c.context_length), tokens = double(b) * context, layers = double(c.layers);
  const double rows = tokens * double(c.width);              // one (b, T, width)
  const double scores = tokens * double(c.heads) * context;  // one (b, heads, T, T)
  // One (b, T, vocab_size); tensor cores have a multiple of 64 columns.
  const double logits = tokens * double(halves ? (c.vocab_size + 63) / 64 * 64 : c.vocab_size);
  const bool dropped = c.dropout > 0;
  // Saved for the backward pass. Rows: what both norms normalise (2) and give (2), queries, keys, values and
  // contexts (4), the hidden layer before and after GELU (8), masks of dropout (2). Of the scores nothing but
  // two numbers for each query; with dropout the weights, its mask and what is left of them.
  const double sums = 2 * tokens * double(c.heads);
  const double block =
      2 * number * rows + half * (dropped ? 16 : 14) * rows + (dropped ? half * 3 * scores : number * sums);
  // Around the final norm, the mask of the embeddings; the logits, whose gradient takes their place.
  const double ends = number * (dropped ? 2 : 1) * rows + half * (rows + logits);
  const double copies =
      halves ? half * double(layers * double(block_counts(c).in_matrices) + double(c.vocab_size * c.width))
             : 0;
  // At most at once beside them: gradients and results that a block, or the loss, is just working on.
  const double temporaries =
      half * (8 * rows + (dropped ? 3 * scores : 0)) + (halves ? copies : half * logits);
  return {parameters, parameters, 2 * parameters, layers * block + ends + copies, temporaries};
}

}  // namespace glassgrad::nn
