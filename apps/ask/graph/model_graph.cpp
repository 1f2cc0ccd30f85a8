#include "apps/ask/graph/model_graph.h"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>

#include "apps/ask/named_recorder.h"
#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/train/checkpoint.h"
#include "engine/ops.h"
#include "nn/functional.h"

namespace glassgrad::graph {
namespace {

constexpr int64_t kTokens = 4;

std::vector<int64_t> tokens_of(const train::Checkpoint& checkpoint, const nn::GPTConfig& config,
                               const std::optional<std::string>& text) {
  std::vector<int64_t> tokens;
  if (text) {
    tokens = checkpoint.tokenizer->encode(*text);
    check<UsageError>(tokens.size() >= 2,
                      "--text has {} token{}: the loss needs 2, one to go on from the other", tokens.size(),
                      tokens.size() == 1 ? "" : "s");
  } else {
    const int64_t most = std::min(config.vocab_size, config.context_length + 1);
    tokens.resize(size_t(std::clamp<int64_t>(most, 2, kTokens)));
    for (size_t i = 0; i < tokens.size(); ++i) tokens[i] = std::min(int64_t(i), config.vocab_size - 1);
  }
  check<UsageError>(std::ssize(tokens) <= config.context_length + 1,
                    "--text has {} tokens, but the model sees {} at once: give a shorter text", tokens.size(),
                    config.context_length);
  return tokens;
}

}  // namespace

Graph graph_of_model(const std::string& path, const std::optional<std::string>& text, bool expand) {
  const std::string file = train::checkpoint_file(path);
  const train::Checkpoint checkpoint = train::load_checkpoint(file);
  const auto model = train::model_of(checkpoint, file);
  model->eval();
  const std::vector<int64_t> tokens = tokens_of(checkpoint, model->config(), text);
  const std::vector<int64_t> read(tokens.begin(), tokens.end() - 1), next(tokens.begin() + 1, tokens.end());

  NamedRecorder trace;
  size_t loss_node = 0;
  {
    const Watch watch(&trace);
    const Tensor logits = (*model)(from_values(read, {1, std::ssize(read)}));
    const Tensor loss = nn::functional::cross_entropy(logits[0], from_values(next, {std::ssize(next)}));
    named(loss, "loss");
    loss_node = *trace.node_of(loss);
  }
  Names names;
  for (const NamedRecorder::Value& value : trace.values())
    if (value.node)
      names.nodes.emplace(*value.node, Names::Result{value.name, value});
    else if (value.requires_grad)
      names.leaves.emplace_back(value, value.name);
  Graph graph = graph_of(trace, loss_node, names, expand);
  graph.title = fmt::format("{} loss  {} tokens", printable(path), read.size());
  return graph;
}

}  // namespace glassgrad::graph
