// The presets and checks of a GPT's configuration, and its size, compute and memory before it is built.
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

// The vectors of a norm: a weight, and a bias unless it is RMS.
int64_t norm_vectors(const GPTConfig& c) { return c.norm == Norm::Rms ? 1 : 2; }

// The parameters of one block.
struct Counts {
  int64_t in_matrices, in_vectors;
};
Counts block_counts(const GPTConfig& c) {
  const int64_t w = c.width, kv = c.key_heads() * c.head_dim(), hidden = c.hidden();
  const bool gated = c.mlp == Mlp::SwiGlu;
  const int64_t matrices = 2 * w * w + 2 * w * kv + (gated ? 3 : 2) * w * hidden;
  const int64_t biases = (c.bias ? w + 2 * kv : 0) + w + (gated ? 0 : hidden + w);
  return {matrices, biases + 2 * norm_vectors(c) * w};
}

constexpr std::string_view kNorms[] = {"layer", "rms"}, kPositions[] = {"learned", "rope", "sinusoid"},
                           kMlps[] = {"gelu", "swiglu"};

}  // namespace

std::span<const std::string_view> names_of(Norm) { return kNorms; }
std::span<const std::string_view> names_of(Positions) { return kPositions; }
std::span<const std::string_view> names_of(Mlp) { return kMlps; }

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
    int64_t value, most;  // a bound that keeps products of sizes from overflowing
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
  glassgrad::check<ValueError>(
      kv_heads >= 0 && kv_heads <= heads && heads % key_heads() == 0,
      "GPT: kv_heads must divide heads {}, so that each is read by equally many, but is {}", heads, kv_heads);
  glassgrad::check<ValueError>(window >= 0 && window <= context_length,
                               "GPT: window must be at most the context of {}, but is {}", context_length,
                               window);
  glassgrad::check<ValueError>(positions != Positions::Rope || head_dim() % 2 == 0,
                               "GPT: rope turns pairs of a head's numbers, but width {} / heads {} is {}",
                               width, heads, head_dim());
  glassgrad::check<ValueError>(positions != Positions::Sinusoid || width % 2 == 0,
                               "GPT: sinusoid makes pairs of a row's numbers, but width is {}", width);
  glassgrad::check<ValueError>(dropout >= 0 && dropout < 1,
                               "GPT: dropout must be at least 0 and below 1, but is {}",
                               python_float(dropout));
}

bool GPTConfig::is_gpt2() const {
  return norm == Norm::Layer && positions == Positions::Learned && mlp == Mlp::Gelu && key_heads() == heads &&
         window == 0;
}

int64_t GPTConfig::hidden() const { return mlp == Mlp::SwiGlu ? (8 * width / 3 + 7) / 8 * 8 : 4 * width; }

int64_t GPTConfig::parameters() const {
  const Counts block = block_counts(*this);
  const int64_t positions_to_learn = positions == Positions::Learned ? context_length : 0;
  const int64_t embeddings = (vocab_size + positions_to_learn) * width,
                final_norm = norm_vectors(*this) * width;
  const int64_t head = tie_weights ? 0 : vocab_size * width;
  return embeddings + layers * (block.in_matrices + block.in_vectors) + final_norm + head;
}

double GPTConfig::training_flops_per_token() const {
  const double matrices = double(layers * block_counts(*this).in_matrices + vocab_size * width);
  return 6 * matrices + 12 * double(layers) * double(width) * double(reach());
}

double GPTConfig::cache_bytes() const {
  return 2 * sizeof(float) * double(layers) * double(key_heads() * head_dim()) * double(cache_rows());
}

GPTMemory training_memory(const GPTConfig& c, int64_t b, bool halves) {
  const double number = sizeof(float), half = halves ? 2 : number;
  const double parameters = number * double(c.parameters());
  const double context = double(c.context_length), tokens = double(b) * context, layers = double(c.layers);
  const double rows = tokens * double(c.width);              // one (b, T, width)
  const double scores = tokens * double(c.heads) * context;  // one (b, heads, T, T)
  // One (b, T, vocab_size); padded to a multiple of 64 columns for tensor cores.
  const double logits = tokens * double(halves ? (c.vocab_size + 63) / 64 * 64 : c.vocab_size);
  const bool dropped = c.dropout > 0;
  // Saved for the backward pass. Rows: the inputs (2) and outputs (2) of both norms, queries, keys, values
  // and contexts (4), the hidden layer before and after GELU or around SwiGLU's product, dropout masks (2).
  // Attention saves two numbers per query; with dropout the weights, their mask and the masked weights.
  // RMS saves the rows before their weight, Rope its tables, a window its mask. Keys and values are repeated
  // for the query heads, but a single head is only a view.
  const double sums = 2 * tokens * double(c.heads);
  const double hidden = (c.mlp == Mlp::SwiGlu ? 4 : 2) * tokens * double(c.hidden());
  const double normed = c.norm == Norm::Rms ? number * (rows + tokens) : 0;
  const double tables = (c.positions == Positions::Rope ? 2 * number * context * double(c.head_dim()) : 0) +
                        (c.window > 0 && c.window < c.context_length ? context * context : 0);
  const double keys_and_values = (c.key_heads() == 1 ? 2 / double(c.heads) : 2) * rows;
  const double block = 2 * number * rows + half * ((dropped ? 6 : 4) * rows + keys_and_values + hidden) +
                       (dropped ? half * 3 * scores : number * sums) + 2 * normed + tables;
  // The final norm's rows, the mask of the embeddings' dropout, and the logits, which their gradient
  // overwrites.
  const double ends = number * (dropped ? 2 : 1) * rows + half * (rows + logits) + normed;
  const double copies =
      halves ? half * double(layers * double(block_counts(c).in_matrices) + double(c.vocab_size * c.width))
             : 0;
  // The most that is alive besides the activations: gradients and results of the current block or of the
  // loss.
  const double temporaries = half * (2 * tokens * double(c.hidden()) + (dropped ? 3 * scores : 0)) +
                             (halves ? copies : half * logits);
  return {parameters,  parameters,     2 * parameters, layers * block + ends + copies,
          temporaries, c.cache_bytes()};
}

}  // namespace glassgrad::nn
