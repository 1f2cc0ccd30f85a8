#include "apps/page/training_page.h"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>

#include "apps/cli/parse_json.h"
#include "apps/page/document.h"
#include "apps/page/heads.h"
#include "apps/train/watch_file.h"
#include "engine/core/error.h"

namespace glassgrad::explorer {
namespace {

using nlohmann::json;
using train::Measured;

// [layer][head][query][key] of watch.json.
Json heads_of(const json& attention, size_t tokens) {
  Json heads = Json::array();
  for (size_t layer = 0; layer < attention.size(); ++layer)
    for (size_t head = 0; head < attention[layer].size(); ++head) {
      std::vector<double> weights;
      for (const json& row : attention[layer][head])
        for (const json& weight : row) weights.push_back(weight.get<double>());
      check(weights.size() == tokens * tokens, "watch.json: a head has {} weights for {} tokens",
            weights.size(), tokens);
      heads.push_back({{"layer", layer}, {"head", head}, {"rows", rows_of_weights(weights)}});
    }
  return heads;
}

// Returns a text like "loss 1.5200, validation 1.6000"; nothing is measured before the first step.
std::string measured_text(const json& recording) {
  if (!recording.contains("loss")) return "before the first step";
  std::string text = fmt::format("loss {:.4f}", recording["loss"].get<double>());
  if (recording.contains("validation_loss"))
    text += fmt::format(", validation {:.4f}", recording["validation_loss"].get<double>());
  return text;
}

Json recording_json(const json& recorded, const std::vector<Measured>& history, size_t tokens) {
  const auto step = recorded.at("step").get<int64_t>();
  Json next = Json::array();
  for (const json& likely : recorded.at("next"))
    next.push_back(
        likely_token(likely.at("token").get<std::string>(), likely.at("probability").get<double>()));
  return {{"step", step},
          {"title", fmt::format("step {}", step)},
          {"measured", measured_text(recorded)},
          {"x", train::place_in_curve(history, step)},
          {"sample", recorded.at("sample").get<std::vector<std::string>>()},
          {"next", std::move(next)},
          {"heads", heads_of(recorded.at("attention"), tokens)}};
}

// Returns `most` of them at even distances, including the first and the last.
Json thinned(Json all, size_t most) {
  if (all.size() <= most) return all;
  Json few = Json::array();
  for (size_t i = 0; i < most; ++i) {
    const double share = most > 1 ? double(i) / double(most - 1) : 1;
    few.push_back(all[size_t(std::lround(share * double(all.size() - 1)))]);
  }
  return few;
}

struct Recordings {
  Json tokens = Json::array(), kept = Json::array();
  std::string told = "No attention was recorded: train with --html or --watch N for that.";
};

Recordings recordings_in(const std::string& watched, const std::string& where,
                         const std::vector<Measured>& history) {
  Recordings found;
  if (watched.empty()) return found;
  const json whole = parse_json(watched, where, train::kMostWatchValues);
  found.tokens = whole.at("tokens").get<std::vector<std::string>>();
  Json all = Json::array();
  for (const json& recorded : whole.at("recordings"))
    all.push_back(recording_json(recorded, history, found.tokens.size()));
  if (all.empty()) return found;
  const size_t each = std::max<size_t>(1, json_text(all).size() / all.size());
  const size_t count = all.size();
  found.kept = thinned(std::move(all), std::max<size_t>(1, kMostHeadBytes / each));
  found.told =
      found.kept.size() == count
          ? fmt::format("{} recordings, all that were made.", count)
          : fmt::format(
                "{} of {} recordings, evenly chosen: a page has room for no more. watch.json has all.",
                found.kept.size(), count);
  return found;
}

std::string plain_text(const std::string& title, const std::string& model,
                       const std::vector<Measured>& history, const Recordings& recordings) {
  std::string text = fmt::format("<main class=\"plain\">\n<h1>{}</h1>\n<p class=\"lead\">{}</p>\n",
                                 escaped(title), escaped(model));
  text += fmt::format("<figure id=\"curve\">\n{}</figure>\n", train::loss_curve(history));
  if (!recordings.kept.empty()) {
    text += "<p class=\"sample\">";
    for (const Json& token : recordings.tokens)
      text += fmt::format("<span class=\"token given\">{}</span> ", escaped(token.get<std::string>()));
    for (const Json& token : recordings.kept.back().at("sample"))
      text += fmt::format("<span class=\"token\">{}</span> ", escaped(token.get<std::string>()));
    text += "</p>\n";
  }
  return text +
         "<noscript><p class=\"note\">To go through the recordings, allow this page its script: it asks "
         "nothing of any network.</p></noscript>\n</main>\n";
}

}  // namespace

std::string training_page(const std::string& folder, const train::Settings& settings,
                          const std::vector<Measured>& history, const std::string& watched) try {
  const Recordings recordings = recordings_in(watched, folder + "/watch.json", history);
  const std::string title = fmt::format("Training in {}", folder), model = train::sizes_text(settings.model);
  PageParts parts{.title = title,
                  .kind = "training",
                  .plain = plain_text(title, model, history, recordings),
                  .data = {{"version", 1},
                           {"kind", "training"},
                           {"title", title},
                           {"model", model},
                           {"tokens", recordings.tokens},
                           {"zero", weight_text(0)},
                           {"kept", recordings.told},
                           {"recordings", recordings.kept}}};
  return html_page(parts);
} catch (const json::exception&) {
  fail("{}/watch.json: is not what a training has recorded: move it away to have a page without it", folder);
}

}  // namespace glassgrad::explorer
