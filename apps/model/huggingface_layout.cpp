#include "apps/model/huggingface_layout.h"
#include "engine/core/joined.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>

#include "apps/cli/arguments.h"
#include "apps/train/settings.h"
#include "engine/autograd.h"
#include "engine/io/file.h"
#include "engine/ops.h"

namespace glassgrad::convert {

struct Layout {
  enum class Size : uint8_t { None, Width, Keys, Hidden, Vocabulary, Context };
  // One of our tensors and the columns of their tensor that hold it, starting at `from` widths. Rows None: a
  // vector.
  struct Part {
    const char *ours, *theirs;
    Size rows, columns;
    int64_t from = 0;
    bool optional = false;  // zeros if missing
  };

  const char* name;
  std::string_view prefix, layer;  // before a whole model's names; before a block's number
  std::span<const Part> before, block, after;
  bool transposed;                         // the blocks' matrices
  std::span<const std::string_view> left;  // endings of names without weights, which are dropped
};

namespace {

using Part = Layout::Part;
using enum Layout::Size;

constexpr std::string_view kHead = "lm_head.weight";

constexpr Part kGpt2Before[] = {{"tok_emb.weight", "wte.weight", Vocabulary, Width},
                                {"pos_emb.weight", "wpe.weight", Context, Width}};
constexpr Part kGpt2Block[] = {
    {"norm1.weight", "ln_1.weight", None, Width},
    {"norm1.bias", "ln_1.bias", None, Width},
    {"att.W_query.weight", "attn.c_attn.weight", Width, Width, 0},
    {"att.W_key.weight", "attn.c_attn.weight", Width, Width, 1},
    {"att.W_value.weight", "attn.c_attn.weight", Width, Width, 2},
    {"att.W_query.bias", "attn.c_attn.bias", None, Width, 0},
    {"att.W_key.bias", "attn.c_attn.bias", None, Width, 1},
    {"att.W_value.bias", "attn.c_attn.bias", None, Width, 2},
    {"att.out_proj.weight", "attn.c_proj.weight", Width, Width},
    {"att.out_proj.bias", "attn.c_proj.bias", None, Width},
    {"norm2.weight", "ln_2.weight", None, Width},
    {"norm2.bias", "ln_2.bias", None, Width},
    {"ff.layers.0.weight", "mlp.c_fc.weight", Width, Hidden},
    {"ff.layers.0.bias", "mlp.c_fc.bias", None, Hidden},
    {"ff.layers.2.weight", "mlp.c_proj.weight", Hidden, Width},
    {"ff.layers.2.bias", "mlp.c_proj.bias", None, Width},
};
constexpr Part kGpt2After[] = {{"final_norm.weight", "ln_f.weight", None, Width},
                               {"final_norm.bias", "ln_f.bias", None, Width}};
constexpr std::string_view kGpt2Left[] = {".attn.bias", ".attn.masked_bias"};

constexpr Part kLlamaBefore[] = {{"tok_emb.weight", "embed_tokens.weight", Vocabulary, Width}};
constexpr Part kLlamaBlock[] = {
    {"norm1.weight", "input_layernorm.weight", None, Width},
    {"att.W_query.weight", "self_attn.q_proj.weight", Width, Width},
    {"att.W_key.weight", "self_attn.k_proj.weight", Keys, Width},
    {"att.W_value.weight", "self_attn.v_proj.weight", Keys, Width},
    {"att.out_proj.weight", "self_attn.o_proj.weight", Width, Width},
    {"att.W_query.bias", "self_attn.q_proj.bias", None, Width, 0, true},
    {"att.W_key.bias", "self_attn.k_proj.bias", None, Keys, 0, true},
    {"att.W_value.bias", "self_attn.v_proj.bias", None, Keys, 0, true},
    {"att.out_proj.bias", "self_attn.o_proj.bias", None, Width, 0, true},
    {"norm2.weight", "post_attention_layernorm.weight", None, Width},
    {"ff.gate.weight", "mlp.gate_proj.weight", Hidden, Width},
    {"ff.up.weight", "mlp.up_proj.weight", Hidden, Width},
    {"ff.down.weight", "mlp.down_proj.weight", Width, Hidden},
};
constexpr Part kLlamaAfter[] = {{"final_norm.weight", "norm.weight", None, Width}};
constexpr std::string_view kLlamaLeft[] = {".rotary_emb.inv_freq"};

}  // namespace

const Layout kGpt2Layout{"GPT-2", "transformer.", "h.", kGpt2Before, kGpt2Block, kGpt2After, true, kGpt2Left};
const Layout kLlamaLayout{"Llama",     "model.",    "layers.", kLlamaBefore,
                          kLlamaBlock, kLlamaAfter, false,     kLlamaLeft};

namespace {

struct TensorMapping {
  std::string ours, theirs;
  Dims shape;  // of the columns in their tensor
  int64_t from;
  bool transposed, optional;
};

int64_t number_of(Layout::Size size, const nn::GPTConfig& c) {
  switch (size) {
    case None:
      return 0;
    case Width:
      return c.width;
    case Keys:
      return c.key_heads() * c.head_dim();
    case Hidden:
      return c.hidden();
    case Vocabulary:
      return c.vocab_size;
    case Context:
      return c.context_length;
  }
  return 0;
}

// Returns the parts in order of their columns, so that to_huggingface can append them.
std::vector<TensorMapping> mappings_of(const Layout& layout, const nn::GPTConfig& c) {
  std::vector<TensorMapping> mappings;
  const auto add = [&](const Part& p, const std::string& ours, const std::string& theirs, bool transposed) {
    const int64_t rows = number_of(p.rows, c), columns = number_of(p.columns, c);
    mappings.push_back({ours + p.ours, theirs + p.theirs, rows == 0 ? Dims{columns} : Dims{rows, columns},
                        p.from * c.width, transposed && rows != 0, p.optional});
  };
  for (const Part& p : layout.before) add(p, "", "", false);
  for (int64_t i = 0; i < c.layers; ++i)
    for (const Part& p : layout.block)
      add(p, fmt::format("trf_blocks.{}.", i), fmt::format("{}{}.", layout.layer, i), layout.transposed);
  for (const Part& p : layout.after) add(p, "", "", false);
  if (!c.tie_weights)
    mappings.push_back({"out_head.weight", std::string(kHead), {c.vocab_size, c.width}, 0, false, false});
  return mappings;
}

// Returns whether the name is a bias of W_query, W_key or W_value.
bool is_qkv_bias(std::string_view ours) {
  return ours.find("att.W_") != ours.npos && ours.ends_with(".bias");
}
bool is_qkv_bias(std::string_view theirs, const Layout& layout) {
  for (const Part& p : layout.block)
    if (is_qkv_bias(p.ours) && theirs.ends_with(p.theirs)) return true;
  return false;
}

std::map<std::string_view, Tensor> by_name(const std::vector<NamedTensor>& tensors) {
  std::map<std::string_view, Tensor> found;
  for (const NamedTensor& t : tensors) found[t.name] = t.tensor;
  return found;
}

// Returns 12 for "h.12.…".
std::optional<int64_t> layer_of(std::string_view name, const Layout& layout) {
  if (!name.starts_with(layout.layer)) return {};
  name.remove_prefix(layout.layer.size());
  return parse_number<int64_t>(name.substr(0, name.find('.')));
}

// Throws if the description and the tensors give different sizes: some tensors may be missing.
void require_as_told(const nn::GPTConfig& told, const nn::GPTConfig& found, const std::string& path) {
  const auto require = [&](const char* what, int64_t tell, int64_t make) {
    check(tell == 0 || tell == make, "{}: the tensors make a model of {} {}, but its description says {}",
          path, what, make, tell);
  };
  require("vocabulary", told.vocab_size, found.vocab_size);
  require("context length", told.context_length, found.context_length);
  require("width", told.width, found.width);
  require("layers", told.layers, found.layers);
}

// Zeros compute the same as no bias.
bool only_zeros(const Tensor& x) { return equal(x, zeros(x.shape(), x.dtype())); }

}  // namespace

const Layout& layout_of(const nn::GPTConfig& c, const std::string& path) {
  if (c.is_gpt2()) return kGpt2Layout;
  const bool llama = c.norm == nn::Norm::Rms && c.positions == nn::Positions::Rope &&
                     c.mlp == nn::Mlp::SwiGlu && c.window == 0;
  check(
      llama,
      "{}: Hugging Face has no layout for a model of {}: its GPT-2 has none of these parts, and its Llama has "
      "norm rms, positions rope and mlp swiglu together, kv_heads or not, and no window",
      path, train::parts_text(c));
  return kLlamaLayout;
}

const Layout& layout_of(const std::vector<NamedTensor>& tensors) {
  for (const NamedTensor& t : tensors)
    if (t.name.ends_with(kLlamaBefore[0].theirs)) return kLlamaLayout;
  return kGpt2Layout;
}

std::vector<NamedTensor> to_huggingface(const nn::GPT& model, const Layout& layout) {
  const NoGrad no_grad;
  const std::vector<NamedTensor> parameters = model.named_parameters();
  const auto ours = by_name(parameters);
  std::vector<NamedTensor> theirs;
  for (const TensorMapping& p : mappings_of(layout, model.config())) {
    const auto found = ours.find(p.ours);
    Tensor part = found == ours.end() ? zeros(p.shape) : found->second;
    if (p.transposed) part = part.transpose(0, 1);
    const std::string name = p.theirs == kHead ? p.theirs : fmt::format("{}{}", layout.prefix, p.theirs);
    if (p.from > 0)
      theirs.back().tensor = cat({theirs.back().tensor, part}, -1);
    else
      theirs.push_back({name, part.contiguous()});
  }
  return theirs;
}

std::vector<NamedTensor> bare_names(const std::vector<NamedTensor>& tensors, const Layout& layout,
                                    const std::string& path) {
  std::vector<NamedTensor> bare;
  std::set<std::string> names;
  for (const NamedTensor& t : tensors) {
    std::string name = t.name.starts_with(layout.prefix) ? t.name.substr(layout.prefix.size()) : t.name;
    const auto ends_name = [&](std::string_view end) { return name.ends_with(end); };
    if (layer_of(name, layout) && std::any_of(layout.left.begin(), layout.left.end(), ends_name)) continue;
    check(names.insert(name).second, "{}: holds {} with and without {} before it", path, excerpt(name),
          layout.prefix);
    bare.push_back({std::move(name), t.tensor});
  }
  return bare;
}

void read_sizes(const std::vector<NamedTensor>& tensors, const Layout& layout, nn::GPTConfig& config,
                const std::string& path) {
  const nn::GPTConfig told = config;
  const auto theirs = by_name(tensors);
  for (const Part& p : layout.before) {
    const auto found = theirs.find(p.theirs);
    check(found != theirs.end(), "{}: is no {} in Hugging Face's names: it has no tensor {}", path,
          layout.name, p.theirs);
    const Tensor& matrix = found->second;
    check(matrix.dim() == 2, "{}: {} must be a matrix, but has the shape {}", path, p.theirs, matrix.shape());
    (p.rows == Vocabulary ? config.vocab_size : config.context_length) = matrix.size(0);
  }
  const Tensor tokens = theirs.at(layout.before[0].theirs);
  config.width = tokens.size(1);

  std::set<int64_t> layers;
  bool zero_bias = true;
  for (const auto& [name, tensor] : theirs) {
    if (const auto layer = layer_of(name, layout)) layers.insert(*layer);
    if (is_qkv_bias(name, layout)) zero_bias = zero_bias && only_zeros(tensor);
  }
  config.layers = std::ssize(layers);
  require_as_told(told, config, path);
  config.bias = config.bias || !zero_bias;
  if (const auto head = theirs.find(kHead); head != theirs.end())
    config.tie_weights = config.tie_weights && equal(head->second, tokens);
  try {
    config.check();
  } catch (const Error& e) {
    fail("{}: {}", path, e.what());
  }
}

std::vector<NamedTensor> from_huggingface(const std::vector<NamedTensor>& tensors, const Layout& layout,
                                          const nn::GPTConfig& config, const std::string& path) {
  const auto theirs = by_name(tensors);
  const std::vector<TensorMapping> mappings = mappings_of(layout, config);
  std::map<std::string_view, Dims> expected;
  for (const TensorMapping& p : mappings) {
    if (p.optional && !theirs.contains(p.theirs)) continue;
    Dims shape = p.shape;
    shape[shape.n - 1] += p.from;  // the last part of a tensor determines its columns
    expected[p.theirs] = shape;
  }
  std::vector<std::string> problems;
  for (const auto& [name, shape] : expected) {
    const auto found = theirs.find(name);
    if (found == theirs.end())
      problems.push_back(fmt::format("{} is missing", name));
    else if (const Tensor& t = found->second; t.shape() != shape || t.dtype() != float32)
      problems.push_back(fmt::format("{} is {} {}, not {} {}", name, dtype_name(t.dtype()), t.shape(),
                                     dtype_name(float32), shape));
  }
  for (const auto& [name, tensor] : theirs)
    if (!expected.contains(name) && name != kHead)  // a tied output layer may be there
      problems.push_back(fmt::format("{} is unexpected", excerpt(name)));
  check(problems.empty(), "{}: is no {} of {} layers and width {} in Hugging Face's names: {}", path,
        layout.name, config.layers, config.width, joined(problems, "; "));

  std::vector<NamedTensor> ours;
  for (const TensorMapping& p : mappings) {
    if (!config.bias && is_qkv_bias(p.ours)) continue;
    const auto found = theirs.find(p.theirs);
    const Tensor whole = found == theirs.end() ? zeros(p.shape) : found->second;
    const Tensor part = whole.narrow(-1, p.from, p.shape[p.shape.n - 1]);
    ours.push_back({p.ours, (p.transposed ? part.transpose(0, 1) : part).contiguous()});
  }
  return ours;
}

}  // namespace glassgrad::convert
