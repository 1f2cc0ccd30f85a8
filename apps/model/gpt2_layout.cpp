#include "apps/model/gpt2_layout.h"

#include <fmt/ranges.h>

#include <map>
#include <set>

#include "apps/cli/arguments.h"
#include "engine/autograd.h"
#include "engine/io/file.h"
#include "engine/ops.h"

namespace glassgrad::convert {
namespace {

constexpr std::string_view kPrefix = "transformer.", kHead = "lm_head.weight", kLayer = "h.";

// One tensor of ours and the columns of theirs that hold it.
struct TensorMapping {
  std::string ours, theirs;
  Dims shape;  // of these columns
  int64_t from;
  bool transposed;
};

// The same within a block, sizes in widths; rows 0: a vector.
struct BlockTensor {
  const char *ours, *theirs;
  int64_t rows, columns, from;
};
constexpr BlockTensor kBlock[] = {
    {"norm1.weight", "ln_1.weight", 0, 1, 0},
    {"norm1.bias", "ln_1.bias", 0, 1, 0},
    {"att.W_query.weight", "attn.c_attn.weight", 1, 1, 0},
    {"att.W_key.weight", "attn.c_attn.weight", 1, 1, 1},
    {"att.W_value.weight", "attn.c_attn.weight", 1, 1, 2},
    {"att.W_query.bias", "attn.c_attn.bias", 0, 1, 0},
    {"att.W_key.bias", "attn.c_attn.bias", 0, 1, 1},
    {"att.W_value.bias", "attn.c_attn.bias", 0, 1, 2},
    {"att.out_proj.weight", "attn.c_proj.weight", 1, 1, 0},
    {"att.out_proj.bias", "attn.c_proj.bias", 0, 1, 0},
    {"norm2.weight", "ln_2.weight", 0, 1, 0},
    {"norm2.bias", "ln_2.bias", 0, 1, 0},
    {"ff.layers.0.weight", "mlp.c_fc.weight", 1, 4, 0},
    {"ff.layers.0.bias", "mlp.c_fc.bias", 0, 4, 0},
    {"ff.layers.2.weight", "mlp.c_proj.weight", 4, 1, 0},
    {"ff.layers.2.bias", "mlp.c_proj.bias", 0, 1, 0},
};
constexpr std::string_view kQkvBias = ".attn.c_attn.bias";

// In the order of their columns.
std::vector<TensorMapping> mappings_of(const nn::GPTConfig& c) {
  const int64_t w = c.width;
  std::vector<TensorMapping> mappings{{"tok_emb.weight", "wte.weight", {c.vocab_size, w}, 0, false},
                                      {"pos_emb.weight", "wpe.weight", {c.context_length, w}, 0, false}};
  for (int64_t i = 0; i < c.layers; ++i)
    for (const BlockTensor& p : kBlock) {
      const Dims shape = p.rows == 0 ? Dims{p.columns * w} : Dims{p.rows * w, p.columns * w};
      mappings.push_back({fmt::format("trf_blocks.{}.{}", i, p.ours),
                          fmt::format("{}{}.{}", kLayer, i, p.theirs), shape, p.from * w, p.rows != 0});
    }
  mappings.push_back({"final_norm.weight", "ln_f.weight", {w}, 0, false});
  mappings.push_back({"final_norm.bias", "ln_f.bias", {w}, 0, false});
  if (!c.tie_weights)
    mappings.push_back({"out_head.weight", std::string(kHead), {c.vocab_size, w}, 0, false});
  return mappings;
}

std::map<std::string_view, Tensor> by_name(const std::vector<NamedTensor>& tensors) {
  std::map<std::string_view, Tensor> found;
  for (const NamedTensor& t : tensors) found[t.name] = t.tensor;
  return found;
}

// "h.12.…" is of layer 12.
std::optional<int64_t> layer_of(std::string_view name) {
  if (!name.starts_with(kLayer)) return {};
  name.remove_prefix(kLayer.size());
  return parse_number<int64_t>(name.substr(0, name.find('.')));
}

// A description that says another size than the tensors: a part of them may be missing.
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

// Like a bias that is not there.
bool only_zeros(const Tensor& x) { return equal(x, zeros(x.shape(), x.dtype())); }

}  // namespace

std::vector<NamedTensor> to_gpt2(const nn::GPT& model) {
  const NoGrad no_grad;
  const std::vector<NamedTensor> parameters = model.named_parameters();
  const auto ours = by_name(parameters);
  std::vector<NamedTensor> theirs;
  for (const TensorMapping& p : mappings_of(model.config())) {
    const auto found = ours.find(p.ours);
    Tensor part = found == ours.end() ? zeros(p.shape) : found->second;
    if (p.transposed) part = part.transpose(0, 1);
    const std::string name = p.theirs == kHead ? p.theirs : fmt::format("{}{}", kPrefix, p.theirs);
    if (p.from > 0)
      theirs.back().tensor = cat({theirs.back().tensor, part}, -1);
    else
      theirs.push_back({name, part.contiguous()});
  }
  return theirs;
}

std::vector<NamedTensor> bare_gpt2(const std::vector<NamedTensor>& tensors, const std::string& path) {
  std::vector<NamedTensor> bare;
  std::set<std::string> names;
  for (const NamedTensor& t : tensors) {
    std::string name = t.name.starts_with(kPrefix) ? t.name.substr(kPrefix.size()) : t.name;
    if (layer_of(name) && (name.ends_with(".attn.bias") || name.ends_with(".attn.masked_bias"))) continue;
    check(names.insert(name).second, "{}: holds {} with and without {} before it", path, excerpt(name),
          kPrefix);
    bare.push_back({std::move(name), t.tensor});
  }
  return bare;
}

void read_sizes(const std::vector<NamedTensor>& tensors, nn::GPTConfig& config, const std::string& path) {
  const nn::GPTConfig told = config;
  const auto theirs = by_name(tensors);
  const auto embedding = [&](const char* name) {
    const auto found = theirs.find(name);
    check(found != theirs.end(), "{}: is no GPT-2 in Hugging Face's names: it has no tensor {}", path, name);
    check(found->second.dim() == 2, "{}: {} must be a matrix, but has the shape {}", path, name,
          found->second.shape());
    return found->second;
  };
  const Tensor tokens = embedding("wte.weight"), positions = embedding("wpe.weight");
  config.vocab_size = tokens.size(0);
  config.width = tokens.size(1);
  config.context_length = positions.size(0);

  std::set<int64_t> layers;
  bool zero_bias = true;
  for (const auto& [name, tensor] : theirs) {
    if (const auto layer = layer_of(name)) layers.insert(*layer);
    if (name.ends_with(kQkvBias)) zero_bias = zero_bias && only_zeros(tensor);
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

std::vector<NamedTensor> from_gpt2(const std::vector<NamedTensor>& tensors, const nn::GPTConfig& config,
                                   const std::string& path) {
  const auto theirs = by_name(tensors);
  const std::vector<TensorMapping> mappings = mappings_of(config);
  std::map<std::string_view, Dims> expected;
  for (const TensorMapping& p : mappings) {
    Dims shape = p.shape;
    shape[shape.n - 1] += p.from;  // the last part of a tensor says how many columns it has
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
    if (!expected.contains(name) && name != kHead)  // which is there, and tied
      problems.push_back(fmt::format("{} is unexpected", excerpt(name)));
  check(problems.empty(), "{}: is no GPT-2 of {} layers and width {} in Hugging Face's names: {}", path,
        config.layers, config.width, fmt::join(problems, "; "));

  std::vector<NamedTensor> ours;
  for (const TensorMapping& p : mappings) {
    if (!config.bias && p.theirs.ends_with(kQkvBias)) continue;
    const Tensor part = theirs.at(p.theirs).narrow(-1, p.from, p.shape[p.shape.n - 1]);
    ours.push_back({p.ours, (p.transposed ? part.transpose(0, 1) : part).contiguous()});
  }
  return ours;
}

}  // namespace glassgrad::convert
