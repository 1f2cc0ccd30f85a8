#include "apps/train/watch_file.h"
#include "engine/core/joined.h"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "apps/cli/arguments.h"
#include "apps/cli/parse_json.h"
#include "apps/text/corpus.h"
#include "apps/text/text_file.h"
#include "engine/io/file.h"
#include "engine/ops.h"

namespace glassgrad::train {
namespace {

using Json = nlohmann::ordered_json;

constexpr int64_t kMostRecordings = 1000;
constexpr int64_t kLongestPrompt = 24, kLikeliest = 10, kLookedAhead = 16;
constexpr std::string_view kEnd = "]}\n", kAfterRecordings = "\n]}\n";

// Returns the step of a recording's JSON, or nothing if the JSON is not a recording.
std::optional<int64_t> step_of(std::string_view recording) {
  struct Recording : JsonVisitor {
    std::optional<int64_t> step;
    void scalar(Place place, nlohmann::json& value) override {
      if (place.size() == 1 && place[0] == "step" && value.is_number_integer() && value <= INT64_MAX)
        step = value.get<int64_t>();
    }
  } one;
  return read_json(recording, one, kMostWatchValues).empty() ? one.step : std::nullopt;
}

std::vector<int64_t> prompt_for(const Settings& s, const Corpus& corpus) {
  const int64_t most = std::min(kLongestPrompt, s.model.context_length);
  if (!s.text.empty()) return corpus.validation_beginning(most);
  std::vector<int64_t> tokens = corpus.tokenizer->encode(kCorpusPrompt);
  tokens.resize(size_t(std::min(most, std::ssize(tokens))));
  return tokens;
}

Json names_of(const std::vector<int64_t>& tokens, const Tokenizer& tokenizer) {
  Json names = Json::array();
  for (const int64_t token : tokens) names.push_back(tokenizer.token_text(token));
  return names;
}

Json rounded(const Tensor& x) {
  if (x.dim() == 0) return std::round(x.item() * 1e4) / 1e4;
  Json list = Json::array();
  for (int64_t i = 0; i < x.size(0); ++i) list.push_back(rounded(x[i]));
  return list;
}

Json likeliest(const Tensor& probabilities, const Tokenizer& tokenizer) {
  const auto [values, ids] = topk(probabilities, std::min(kLikeliest, probabilities.numel()));
  Json list = Json::array();
  for (int64_t i = 0; i < ids.numel(); ++i)
    list.push_back(
        {{"token", tokenizer.token_text(ids[i].item<int64_t>())}, {"probability", rounded(values[i])}});
  return list;
}

// The most recordings that the file can hold, and how many watch_every alone still needs.
struct Need {
  int64_t most, to_come, tokens;
};
Need need_of(const Settings& s, const Corpus& corpus, int64_t made) {
  const int64_t tokens = std::ssize(prompt_for(s, corpus));
  const double weights = double(s.model.layers) * double(s.model.heads) * double(tokens * tokens);
  return {
      .most = std::min(kMostRecordings, static_cast<int64_t>(double(kMostWeights) / weights)),
      .to_come = (s.steps - made - 1) / s.watch_every + 1 + (made == 0),  // plus one before the first step
      .tokens = tokens};
}

// The steps 1, 2, 5, 10, 20, 50, … before the first multiple of watch_every.
std::vector<int64_t> early_steps(const Settings& s) {
  constexpr int64_t kFewest = 10;
  std::vector<int64_t> steps;
  if (s.watch_every < kFewest) return steps;
  for (int64_t ten = 1; ten < s.watch_every; ten *= 10)
    for (const int64_t step : {ten, 2 * ten, 5 * ten})
      if (step < std::min(s.watch_every, s.steps)) steps.push_back(step);
  return steps;
}

}  // namespace

void require_room(const Settings& s, const Corpus& corpus, int64_t made, int64_t recordings) {
  if (s.watch_every == 0) return;
  const auto [most, to_come, tokens] = need_of(s, corpus, made);
  if (recordings + to_come <= most) return;
  const int64_t room = most - recordings - (made == 0), left = s.steps - made;
  const std::string advice = room > 0         ? fmt::format("give --watch {} or more", (left - 1) / room + 1)
                             : recordings > 0 ? "it is full: train with fewer --steps"
                                              : "this model is too large to be watched";
  fail<UsageError>(
      "--watch {}: watch.json holds at most {} recordings of {} x {} x {} x {} weights, not {}: {}",
      s.watch_every, most, s.model.layers, s.model.heads, tokens, tokens, recordings + to_come, advice);
}

WatchFile::WatchFile(std::string path, const Settings& settings, const Trainer& trainer)
    : path_(std::move(path)),
      settings_(settings),
      trainer_(trainer),
      early_(early_steps(settings)),
      prompt_(prompt_for(settings, trainer.corpus())) {
  const Json head = {{"format", "glassgrad watch 1"},
                     {"tokens", names_of(prompt_, *trainer.corpus().tokenizer)},
                     {"layers", settings.model.layers},
                     {"heads", settings.model.heads}};
  beginning_ = head.dump();
  beginning_.back() = ',';
  beginning_ += "\"recordings\":[";
  if (trainer.done() > 0 && ::access(path_.c_str(), F_OK) == 0) read();
  const int64_t made = trainer.done(), recordings = std::ssize(recordings_);
  require_room(settings, trainer.corpus(), made, recordings);
  const Need need = need_of(settings, trainer.corpus(), made);
  const int64_t early =
      std::count_if(early_.begin(), early_.end(), [&](int64_t step) { return step > made; });
  if (recordings + need.to_come + early > need.most) early_.clear();
}

bool WatchFile::is_due(int64_t step) const {
  return step % settings_.watch_every == 0 || step == settings_.steps ||
         std::find(early_.begin(), early_.end(), step) != early_.end();
}

// Reads the format of text(), one recording per line.
void WatchFile::read() {
  const std::string text = read_file(path_, kMaxWatchFile);
  const auto check_ours = [&](bool ours) {
    check(ours, "{}: is not what this training has recorded: move it away to begin a new one", path_);
  };
  std::string_view left = text;
  const auto expect = [&](std::string_view next) {
    check_ours(left.starts_with(next));
    left.remove_prefix(next.size());
  };
  expect(beginning_);
  expect("\n");
  while (left != kAfterRecordings) {
    const std::string_view line = left.substr(0, left.find_first_of('\n'));
    left.remove_prefix(line.size());
    const bool more = line.ends_with(',');
    const std::string_view recording = line.substr(0, line.size() - more);
    const std::optional<int64_t> step = step_of(recording);
    check_ours(step.has_value() && more == (left != kAfterRecordings));
    if (more) expect("\n");
    if (*step <= trainer_.done()) recordings_.emplace_back(recording);
  }
}

void WatchFile::record(const std::optional<Measured>& last) {
  const Trainer::Inspection inspection = trainer_.inspect(prompt_, kLookedAhead);
  const Tokenizer& tokenizer = *trainer_.corpus().tokenizer;
  Json recording{{"step", trainer_.done()}};
  if (last) recording["loss"] = last->loss;
  if (last && last->validation_loss) recording["validation_loss"] = *last->validation_loss;
  recording["attention"] = rounded(on_host(inspection.weights));
  recording["next"] = likeliest(inspection.probabilities, tokenizer);
  recording["sample"] = names_of(inspection.continuation, tokenizer);
  recordings_.push_back(recording.dump());

  write_text(path_, text());
}

std::string WatchFile::text() const {
  return fmt::format("{}\n{}\n{}", beginning_, joined(recordings_, ",\n"), kEnd);
}

}  // namespace glassgrad::train
