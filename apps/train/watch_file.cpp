#include "apps/train/watch_file.h"

#include <fmt/format.h>
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

constexpr int64_t kMostRecordings = 1000, kMostWeights = 2'000'000;
constexpr int64_t kLongestPrompt = 24, kLikeliest = 10, kLookedAhead = 16;
constexpr const char* kEnd = "]}\n";

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

}  // namespace

void require_room(const Settings& s, const Corpus& corpus, int64_t made, int64_t recordings) {
  if (s.watch_every == 0) return;
  const int64_t tokens = std::ssize(prompt_for(s, corpus)), left = s.steps - made;
  const double weights = double(s.model.layers) * double(s.model.heads) * double(tokens * tokens);
  const auto most = std::min(kMostRecordings, static_cast<int64_t>(double(kMostWeights) / weights));
  const int64_t room = most - recordings - (made == 0);  // one stands before the first step
  const int64_t needed = (left - 1) / s.watch_every + 1;
  if (needed <= room) return;
  const std::string advice = room > 0         ? fmt::format("give --watch {} or more", (left - 1) / room + 1)
                             : recordings > 0 ? "it is full: train with fewer --steps"
                                              : "this model is too large to be watched";
  fail<UsageError>(
      "--watch {}: watch.json holds at most {} recordings of {} x {} x {} x {} weights, not {}: {}",
      s.watch_every, most, s.model.layers, s.model.heads, tokens, tokens, recordings + needed + (made == 0),
      advice);
}

WatchFile::WatchFile(std::string path, const Settings& settings, const Trainer& trainer)
    : path_(std::move(path)), trainer_(trainer), prompt_(prompt_for(settings, trainer.corpus())) {
  const Json head = {{"format", "glassgrad watch 1"},
                     {"tokens", names_of(prompt_, *trainer.corpus().tokenizer)},
                     {"layers", settings.model.layers},
                     {"heads", settings.model.heads}};
  beginning_ = head.dump();
  beginning_.back() = ',';
  beginning_ += "\"recordings\":[";
  if (trainer.done() > 0 && ::access(path_.c_str(), F_OK) == 0) read();
  require_room(settings, trainer.corpus(), trainer.done(), std::ssize(recordings_));
}

void WatchFile::read() {
  InputFile file(path_);
  std::string text(file.size(), '\0');
  file.read(text.data(), text.size());
  const Json whole = parse_json<Json>(text);
  const auto is_recording = [](const Json& r) {
    return r.is_object() && r.contains("step") && r["step"].is_number();
  };
  const bool ours = text.starts_with(beginning_) && whole.is_object() &&
                    std::all_of(whole["recordings"].begin(), whole["recordings"].end(), is_recording);
  check(ours, "{}: is not what this training has recorded: move it away to begin a new one", path_);
  for (const Json& recording : whole["recordings"])
    if (recording["step"] <= trainer_.done()) recordings_.push_back(recording.dump());
}

void WatchFile::record(const std::optional<Measured>& last) {
  const Trainer::Look look = trainer_.look(prompt_, kLookedAhead);
  const Tokenizer& tokenizer = *trainer_.corpus().tokenizer;
  Json recording{{"step", trainer_.done()}};
  if (last) recording["loss"] = last->loss;
  if (last && last->validation_loss) recording["validation_loss"] = *last->validation_loss;
  recording["attention"] = rounded(on_host(look.weights));
  recording["next"] = likeliest(look.probabilities, tokenizer);
  recording["sample"] = names_of(look.continuation, tokenizer);
  recordings_.push_back(recording.dump());

  write_text(path_, text());
}

std::string WatchFile::text() const {
  return fmt::format("{}\n{}\n{}", beginning_, fmt::join(recordings_, ",\n"), kEnd);
}

}  // namespace glassgrad::train
