#include "apps/page/inspect_page.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/lesson/markdown.h"
#include "apps/page/document.h"
#include "apps/page/heads.h"
#include "apps/show/render.h"
#include "engine/ops.h"

namespace glassgrad::explorer {
namespace {

using learn::Recording, learn::Step;

constexpr double kBytesPerToken = 200;  // in the data and in the table for readers without scripts
constexpr const char* kTitle = "What a model computes when it reads";

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

Json next_tokens(const Recording& recording, const Tokenizer& tokenizer, int64_t top) {
  const Tensor probabilities =
      tensor_in(step_called(recording, inspect::kNextToken), inspect::kProbabilities);
  const auto [values, ids] = topk(probabilities, std::min(top, probabilities.numel()));
  Json next = Json::array();
  for (int64_t i = 0; i < ids.numel(); ++i)
    next.push_back(likely_token(tokenizer.token_text(ids[i].item<int64_t>()), values[i].item()));
  return next;
}

Json zeroed_head(const Recording& recording) {
  const Step& step = step_called(recording, inspect::kZeroedHead);
  Json change;
  if (const Tensor moved = tensor_in(step, "change")) {  // (layers, heads)
    change = Json::array();
    for (int64_t layer = 0; layer < moved.size(0); ++layer) {
      std::string row;
      for (int64_t head = 0; head < moved.size(1); ++head)
        row += (head ? " " : "") + weight_text(moved[layer][head].item());
      change.push_back(std::move(row));
    }
  }
  return {{"title", step.title},
          {"sentences", learn::plain_words(step.sentences)},
          {"change", std::move(change)}};
}

// Throws Error if the page would be too large. It shows the lower half of each head's (T, T).
void require_room(const Recording& recording, const nn::GPTConfig& config, const inspect::ReportView& view) {
  const double tokens = double(recording.tokens.size());
  const double heads = double(view.layer ? 1 : config.layers) * double(view.head ? 1 : config.heads);
  const double bytes = heads * tokens * (tokens + 1) / 2 * double(weight_text(0).size() + 1) +
                       double(std::min(view.top, config.vocab_size)) * kBytesPerToken;
  check(
      bytes <= double(kMostHeadBytes),
      "--html: the weights of {} heads over {} tokens, and {} next tokens, take {:.1f} MB, and a page has room "
      "for {:.1f}: give a shorter --text, one --layer or --head, or a smaller --top",
      heads, tokens, std::min(view.top, config.vocab_size), bytes / 1e6, double(kMostHeadBytes) / 1e6);
}

std::string plain_text(const Json& data) {
  const auto text = [](const Json& x) { return escaped(x.get<std::string>()); };
  std::string plain = fmt::format("<main class=\"plain\">\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n",
                                  text(data["title"]), text(data["model"]));
  plain += "<p class=\"reading\">It reads:";
  for (const Json& token : data["tokens"])
    plain += fmt::format(" <span class=\"token\">{}</span>", text(token));
  plain +=
      "</p>\n<table class=\"likely\">\n<caption>The likeliest next tokens</caption>\n"
      "<thead><tr><th scope=\"col\">token</th><th scope=\"col\">probability</th></tr></thead>\n<tbody>\n";
  for (const Json& next : data["next"])
    plain += fmt::format("<tr><th scope=\"row\"><span class=\"token\">{}</span></th><td>{}</td></tr>\n",
                         text(next["token"]), text(next["text"]));
  return plain +
         "</tbody>\n</table>\n<noscript><p class=\"note\">To see the attention weights, allow this page its "
         "script: it asks nothing of any network.</p></noscript>\n</main>\n";
}

}  // namespace

std::string inspect_page(const Recording& recording, const nn::GPTConfig& config, const Tokenizer& tokenizer,
                         const inspect::ReportView& view) {
  const std::string model = train::sizes_text(config);
  require_room(recording, config, view);
  Json data = {{"version", 1},
               {"kind", "inspect"},
               {"title", kTitle},
               {"model", model},
               {"tokens", recording.tokens},
               {"zero", weight_text(0)},
               {"heads", heads_of(recording, view)},
               {"next", next_tokens(recording, tokenizer, view.top)},
               {"zeroed", zeroed_head(recording)}};
  std::string plain = plain_text(data);
  return html_page({.title = kTitle, .kind = "inspect", .plain = std::move(plain), .data = std::move(data)});
}

}  // namespace glassgrad::explorer
