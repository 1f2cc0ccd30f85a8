#include "apps/lesson/model_lesson.h"

#include <fmt/core.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "apps/lesson/given_model.h"
#include "apps/lesson/program.h"
#include "apps/text/visible.h"
#include "apps/train/trainer.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

constexpr const char* kDefaultText = "cats climb trees during";
constexpr int64_t kSampleTokens = 8;
constexpr size_t kLongestLiteral = 100;

// Returns the first piece of the text that is encoded as single bytes because the model's training text did
// not contain it; empty if there is none.
std::string unknown_piece(const Tokenizer& tokenizer, const std::vector<int64_t>& ids) {
  const auto unknown = [&](int64_t id) { return id >= tokenizer.size() - tokenizer.stand_ins(); };
  const auto first = std::find_if(ids.begin(), ids.end(), unknown);
  return tokenizer.decode({first, std::find_if_not(first, ids.end(), unknown)});
}

void check_known(const Tokenizer& tokenizer, const std::vector<int64_t>& ids) {
  const std::string piece = unknown_piece(tokenizer, ids);
  if (piece.empty()) return;
  const std::string shown = visible(piece);
  std::string advice;
  if (tokenizer.kind() == "word") {
    std::vector<std::string> known;
    for (int64_t id = 0; id < tokenizer.size() - tokenizer.stand_ins(); ++id)
      known.push_back(tokenizer.token_text(id));
    advice = fmt::format("; did you mean '{}'?{}", nearest(shown, known),
                         shown.starts_with("␣") ? " (␣ is the space that belongs to a word)" : "");
  }
  fail<UsageError>("--text: the model's text has never held '{}', so it has learned nothing about it{}",
                   shown, advice);
}

// Returns the beginning of the text that the model was validated on.
std::string own_text(const train::Checkpoint& checkpoint) try {
  const train::Corpus corpus(checkpoint.settings, checkpoint.tokenizer);
  const int64_t first = 0;
  const int64_t length = std::min(kSampleTokens, checkpoint.settings.model.context_length);
  return checkpoint.tokenizer->decode(
      corpus.data->batch_at(Part::Validation, {&first, 1}, length).inputs.to_vector<int64_t>());
} catch (const Error& e) {
  fail<UsageError>(
      "the model has never seen the words \"{}\", and its own text is not there ({}): give --text TEXT",
      kDefaultText, e.what());
}

std::string text_for(const train::Checkpoint& checkpoint, const std::optional<std::string>& given) {
  const Tokenizer& tokenizer = *checkpoint.tokenizer;
  check<UsageError>(!given || !given->empty(), "--text is empty: a model reads one token at least");
  const std::vector<int64_t> ids = tokenizer.encode(given.value_or(kDefaultText));
  if (!given && !unknown_piece(tokenizer, ids).empty()) return own_text(checkpoint);
  check_known(tokenizer, ids);
  return given.value_or(kDefaultText);
}

// Writes the text as a Python literal. A text that is long or not plain is `tokenizer.text` instead.
std::string literal_of(const std::string& text) {
  if (text.size() > kLongestLiteral || printable(text) != text) return "tokenizer.text";
  std::string made = "\"";
  for (const char c : text) made += (c == '"' || c == '\\' ? "\\" : "") + std::string(1, c);
  return made + "\"";
}

Document document_of(const Lesson& lesson, const nn::GPTConfig& model, const std::string& text) {
  const auto truth = [](bool is) { return is ? "True" : "False"; };
  const std::map<std::string, std::string> literals = {{"width", std::to_string(model.width)},
                                                       {"heads", std::to_string(model.heads)},
                                                       {"blocks", std::to_string(model.layers)},
                                                       {"context", std::to_string(model.context_length)},
                                                       {"qkv_bias", truth(model.bias)},
                                                       {"tied", truth(model.tie_weights)},
                                                       {"gelu", model.tanh_gelu ? "\"tanh\"" : "\"none\""},
                                                       {"text", literal_of(text)}};
  return read_document(lesson.document->written, lesson.document->file, &literals);
}

class ModelLesson {
 public:
  ModelLesson(const Lesson& lesson, std::shared_ptr<const TrainedModel> model, const std::string& text)
      : model_(std::move(model)),
        program_(document_of(lesson, config(), text), lesson.own_file),
        settings_(program_.lesson(), {}) {
    const Tokenizer& tokenizer = model_->tokenizer();
    GivenModel given{.tokenizer = std::string(tokenizer.kind()),
                     .vocabulary = {},
                     .encode = [&tokenizer](std::string_view words) { return tokenizer.encode(words); },
                     .text = text,
                     .steps = model_->checkpoint().step};
    for (int64_t id = 0; id < tokenizer.size(); ++id) given.vocabulary.push_back(tokenizer.token_text(id));
    settings_.model = std::make_shared<GivenModel>(std::move(given));
    for (const auto& [name, weight] : model_->checkpoint().weights)
      settings_.weights["model." + name] = {.path = "the model", .values = weight};
    std::vector<int64_t> ids = tokenizer.encode(text);
    ids.erase(ids.begin(), ids.end() - std::min(std::ssize(ids), config().context_length));
    ids_ = from_values(ids, {1, std::ssize(ids)});
  }

  Recording run(Keep keep, const Patch& patch) const {
    const std::vector<std::string>& vocabulary = settings_.model->vocabulary;
    Settings now = settings_;
    now.tokens.clear();
    for (const int64_t id : patch.poked("ids", ids_).to_vector<int64_t>()) {
      check<IndexError>(id >= 0 && id < std::ssize(vocabulary),
                        "there is no token {}: those of the model are 0 to {}", id, vocabulary.size() - 1);
      now.tokens.push_back(vocabulary[size_t(id)]);
    }
    return record(program_.lesson(), now, keep, patch);
  }

 private:
  const nn::GPTConfig& config() const { return model_->checkpoint().settings.model; }

  std::shared_ptr<const TrainedModel> model_;
  DocumentLesson program_;
  Settings settings_;
  Tensor ids_;  // (1, T)
};

}  // namespace

Runner runner(const Lesson& lesson, std::shared_ptr<const TrainedModel> model,
              const std::optional<std::string>& text) {
  check<UsageError>(lesson.document->takes_model,
                    "--model goes with the lesson gpt, not with {}: glassgrad learn gpt --model CHECKPOINT",
                    lesson.id);
  const nn::GPTConfig& config = model->checkpoint().settings.model;
  check<UsageError>(
      config.is_gpt2(),
      "--model: the lesson gpt takes apart a model of GPT-2's parts, and this one has {}: `glassgrad "
      "inspect CHECKPOINT --text TEXT` shows what it computes",
      train::parts_text(config));
  static std::vector<std::unique_ptr<const ModelLesson>> made;  // recordings point to their lessons
  const std::string reads = text_for(model->checkpoint(), text);
  const ModelLesson* const run =
      made.emplace_back(std::make_unique<ModelLesson>(lesson, std::move(model), reads)).get();
  return [run](Keep keep, const Patch& patch) { return run->run(keep, patch); };
}

}  // namespace glassgrad::learn
