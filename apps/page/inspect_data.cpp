#include "apps/page/inspect_data.h"

#include <algorithm>
#include <cmath>

#include "apps/lesson/markdown.h"
#include "apps/page/heads.h"
#include "engine/core/utf8.h"
#include "engine/ops.h"

namespace glassgrad::explorer {
namespace {

using learn::Recording, learn::Step;

const Step& step_called(const Recording& recording, std::string_view id) {
  return *std::find_if(recording.steps.begin(), recording.steps.end(),
                       [&](const Step& step) { return step.id == id; });
}

// Returns a float64 copy of the entry with that name; an undefined tensor if there is none.
Tensor tensor_in(const Step& step, std::string_view name) {
  for (const learn::Entry& entry : step.entries)
    if (entry.name == name) return to(entry.value->tensor(), DType::float64);
  return {};
}

Json heads_of(const Recording& recording, const inspect::ReportView& view) {
  Json heads = Json::array();
  for (int64_t layer = 0; layer < view.layers; ++layer) {
    if (layer != view.layer.value_or(layer)) continue;
    const Tensor weights = tensor_in(step_called(recording, inspect::weights_step(layer)), inspect::kWeights);
    for (int64_t head = 0; head < weights.size(1); ++head)  // (1, heads, T, T)
      if (head == view.head.value_or(head))
        heads.push_back({{"layer", layer},
                         {"head", head},
                         {"rows", rows_of_weights(weights[0][head].to_vector<double>())}});
  }
  return heads;
}

bool can_be_typed(const Tokenizer& tokenizer, int64_t id) {
  std::string_view text = tokenizer.token(id);
  if (id >= tokenizer.size() - tokenizer.stand_ins()) return false;
  for (char32_t code = 0; !text.empty();) {
    const size_t length = utf8_length(text, code);
    if (length == 0 || code == 0) return false;
    text.remove_prefix(length);
  }
  return true;
}

Json next_tokens(const Step& step, const Tokenizer& tokenizer, int64_t top) {
  const Tensor probabilities = tensor_in(step, inspect::kProbabilities);
  const auto [values, ids] = topk(probabilities, std::min(top, probabilities.numel()));
  Json next = Json::array();
  for (int64_t i = 0; i < ids.numel(); ++i) {
    const auto id = ids[i].item<int64_t>();
    next.push_back(likely_token(tokenizer.token_text(id), values[i].item()));
    if (can_be_typed(tokenizer, id)) next.back()["adds"] = tokenizer.token(id);
  }
  return next;
}

Json zeroed_head(const Step& step, const Tokenizer& tokenizer, int64_t top) {
  Json change, furthest;
  if (const Tensor moved = tensor_in(step, "change")) {  // (layers, heads)
    change = Json::array();
    double most = -1;
    for (int64_t layer = 0; layer < moved.size(0); ++layer) {
      std::string row;
      for (int64_t head = 0; head < moved.size(1); ++head) {
        const double by = moved[layer][head].item();
        row += (head ? " " : "") + weight_text(by);
        if (!(std::abs(by) > most)) continue;
        most = std::abs(by);
        furthest = {layer, head};
      }
      change.push_back(std::move(row));
    }
  }
  return {{"title", step.title},
          {"sentences", learn::plain_words(step.sentences)},
          {"change", std::move(change)},
          {"furthest", std::move(furthest)},
          {"next", next_tokens(step, tokenizer, top)}};
}

}  // namespace

Json inspect_json(const Recording& recording, const Tokenizer& tokenizer, const inspect::ReportView& view) {
  return {{"tokens", recording.tokens},
          {"zero", weight_text(0)},
          {"heads", heads_of(recording, view)},
          {"next", next_tokens(step_called(recording, inspect::kNextToken), tokenizer, view.top)},
          {"zeroed", zeroed_head(step_called(recording, inspect::kZeroedHead), tokenizer, view.top)}};
}

}  // namespace glassgrad::explorer
