#include "apps/lessons/trained/climb_model.h"

#include <fmt/format.h>

#include <algorithm>

#include "apps/cli/arguments.h"
#include "apps/lesson/gpt_parts.h"
#include "apps/lesson/phrases.h"
#include "apps/text/visible.h"
#include "apps/train/trainer.h"
#include "engine/ops.h"

namespace glassgrad::learn {
namespace {

using climb_parts::Reading;

constexpr const char* kDefaultText = "cats climb trees during";
constexpr int64_t kSampleTokens = 8;

const Lesson kTrained = {.id = "climb",
                         .source = "A trained model reads a text",
                         .understand = "what each part of a trained model computes when it reads a text",
                         .minutes = 20,
                         .parameters = {},
                         .axes = kGptAxes,
                         .tokens = {},
                         .inputs = nullptr,
                         .tell = nullptr,
                         .has_chapter = false};

// The first piece of the text that the model's text has not held: it is left as single bytes, which stand in
// for it. Empty: there is none.
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

// The beginning of the text that the model was validated on.
std::vector<int64_t> own_text(const train::Checkpoint& checkpoint) try {
  const train::Corpus corpus(checkpoint.settings, checkpoint.tokenizer);
  const int64_t first = 0;
  const int64_t length = std::min(kSampleTokens, checkpoint.settings.model.context_length);
  return corpus.data->batch_at(Part::Validation, {&first, 1}, length).inputs.to_vector<int64_t>();
} catch (const Error& e) {
  fail<UsageError>(
      "the model has never seen the words \"{}\", and its own text is not there ({}): give --text TEXT",
      kDefaultText, e.what());
}

std::vector<int64_t> tokens_of(const train::Checkpoint& checkpoint, const std::optional<std::string>& text) {
  const Tokenizer& tokenizer = *checkpoint.tokenizer;
  check<UsageError>(!text || !text->empty(), "--text is empty: a model reads one token at least");
  const std::vector<int64_t> ids = tokenizer.encode(text.value_or(kDefaultText));
  if (!text && !unknown_piece(tokenizer, ids).empty()) return own_text(checkpoint);
  check_known(tokenizer, ids);
  return ids;
}

void text(Narrator& l, const Reading& r) {
  const Tokenizer& tokenizer = *r.checkpoint.tokenizer;
  std::vector<std::string> words;
  const std::vector<int64_t> ids = r.ids.to_vector<int64_t>();
  for (size_t i = 0; i < ids.size(); ++i)
    words.push_back(fmt::format("{} is {}", in_quotes(r.names[i]), ids[i]));
  l.step("tokens", "1.1", "A text becomes numbers");
  l.code("ids = torch.tensor([tokenizer.encode(text)])");
  l.show("ids", r.ids);
  l.say("The model reads {}: {} of the {} that its {} tokenizer knows. {}.",
        in_quotes(visible(tokenizer.decode(ids))), counted(std::ssize(ids), "token"), tokenizer.size(),
        tokenizer.kind(), joined(words, ", "));
  if (std::any_of(words.begin(), words.end(), [](const auto& w) { return w.find("␣") != w.npos; }))
    l.say("␣ is a space.");
  if (r.left_out > 0)
    l.say("The text is longer by {}, but the model sees only {} at once: these are the last ones.",
          counted(r.left_out, "token"), r.config().context_length);
  l.say(
      "A model of {} with {} each, {} wide: {} parameters{}.", counted(r.config().layers, "block"),
      counted(r.config().heads, "head"), r.config().width, r.config().parameters(),
      r.checkpoint.step > 0 ? fmt::format(", after {} of training", counted(r.checkpoint.step, "step")) : "");
}

}  // namespace

namespace climb_parts {

std::string Reading::token(int64_t id) const { return in_quotes(checkpoint.tokenizer->token_text(id)); }

std::string Reading::last() const { return in_quotes(names.back()); }

void embeddings(Narrator& l, const Reading& r) {
  const auto id = r.ids[0][0].item<int64_t>();
  l.step("embeddings", "1.2", "A vector for each token, and one for its place");
  l.formula("x_t = E[id_t] + P[t]", R"(x_t = E_{\mathrm{id}_t} + P_t)");
  l.code(
      "tok_embeds = model.tok_emb(ids)\npos_embeds = model.pos_emb(torch.arange(ids.shape[1]))\n"
      "x = tok_embeds + pos_embeds");
  l.show("tok_emb.weight", r.model.tok_emb.weight);
  show_embeddings(l);
  const Tensor token = r.model.tok_emb.weight[id], place = r.model.pos_emb.weight[0];
  l.say("The table has a row for each of the {} tokens; {} gets row {}: {}.", r.config().vocab_size,
        in_quotes(r.names[0]), id, joined_digits(token, ", ", 4));
  l.say(
      "Attention does not know in which order its rows stand, so each of the {} places of the context has a row of "
      "its own, which is added.",
      r.config().context_length);
  l.say("The first number of {} is {} + {} = {}.", in_quotes(r.names[0]), digits(token[0]), digits(place[0]),
        digits(token[0] + place[0]));
}

}  // namespace climb_parts

Runner model_lesson(const std::string& path, const std::optional<std::string>& given_text) {
  using namespace climb_parts;
  const auto trained = std::make_shared<TrainedModel>(path);
  const train::Checkpoint& checkpoint = trained->checkpoint();
  std::vector<int64_t> ids = tokens_of(checkpoint, given_text);
  const int64_t left_out = std::max<int64_t>(0, std::ssize(ids) - checkpoint.settings.model.context_length);
  ids.erase(ids.begin(), ids.begin() + left_out);

  return runner(trained, kTrained, std::move(ids),
                [trained, left_out](Narrator& l, const ModelReading& reads) {
                  Reading reading{reads, trained->checkpoint(), left_out,
                                  l.call([&] { return reads.model(reads.ids); })};
                  skip_weights(l, reads.model);
                  text(l, reading);
                  embeddings(l, reading);
                  const Tensor weights = first_block(l, reading);
                  further_blocks(l, reading);
                  const Tensor probabilities = prediction(l, reading);
                  loss(l, reading);
                  if (!reads.only_loss) before_training(l, reading, weights, probabilities);
                });
}

}  // namespace glassgrad::learn
