#include "apps/page/inspect_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <sstream>

#include "apps/page/document.h"
#include "apps/page/embedded.h"
#include "apps/page/heads.h"
#include "apps/page/inspect_data.h"
#include "apps/page/model_engine.h"
#include "apps/text/corpus.h"

namespace glassgrad::explorer {
namespace {

using learn::Recording;

constexpr double kBytesPerToken = 200;  // in the data and in the table for readers without scripts
constexpr const char* kTitle = "What a model computes when it reads";
constexpr const char* kTitleInSite = "A small model, to try";

// Sentences of the corpus that it holds back, without their last word.
Json examples_for(const Inspected& run) {
  if (!run.of_corpus) return Json::array();
  constexpr size_t kApart = 6, kExamples = 3;  // lines: another subject, another verb
  Json examples = Json::array();
  std::istringstream lines(held_out_sentences());
  std::string line;
  for (size_t i = 0; examples.size() < kExamples && std::getline(lines, line); ++i)
    if (i % kApart == 0) examples.push_back(line.substr(0, line.rfind(' ')));
  return examples;
}

// Returns whether the page carries the model.
bool is_carried(const Inspected& run) {
  constexpr int64_t kMostParameters = 200'000;  // 1.1 MB
  return !run.is_changed && !run.view.layer && !run.view.head &&
         run.model.config().parameters() <= kMostParameters && !engine_wasm().empty();
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

std::string plain_text(const Json& data, bool in_site) {
  const auto text = [](const Json& x) { return escaped(x.get<std::string>()); };
  const char* const tag = in_site ? "section" : "main";
  std::string plain =
      fmt::format("<{} class=\"plain\">\n<{}>{}</{}>\n<p class=\"lead\">{}</p>\n", tag, in_site ? "h2" : "h1",
                  text(data["title"]), in_site ? "h2" : "h1", text(data["model"]));
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
         fmt::format(
             "</tbody>\n</table>\n<noscript><p class=\"note\">To see the attention weights, allow this page its "
             "script: it asks nothing of any network.</p></noscript>\n</{}>\n",
             tag);
}

}  // namespace

std::string inspect_page(const Inspected& run, bool in_site) {
  const nn::GPTConfig& config = run.model.config();
  require_room(run.recording, config, run.view);
  Json data = {{"version", 1},
               {"kind", "inspect"},
               {"title", in_site ? kTitleInSite : kTitle},
               {"model", train::sizes_text(config)},
               {"site", in_site}};
  data.update(inspect_json(run.recording, run.tokenizer, run.view));
  const bool carried = is_carried(run);
  if (carried) {
    Json file = carried_json(run.model, run.tokenizer);
    file.update({{"text", run.text},
                 {"top", run.view.top},
                 {"off", run.view.zeroed ? Json{run.view.zeroed->layer, run.view.zeroed->head} : Json()},
                 {"examples", examples_for(run)}});
    data["file"] = std::move(file);
  }
  std::string plain = plain_text(data, in_site);
  return html_page({.title = kTitle,
                    .kind = "inspect",
                    .plain = std::move(plain),
                    .data = std::move(data),
                    .engine = carried});
}

}  // namespace glassgrad::explorer
