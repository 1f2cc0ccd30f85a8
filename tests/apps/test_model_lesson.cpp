// The lesson gpt on trained models of all kinds: its program computes what nn::GPT does.
#include "apps/lesson/model_lesson.h"

#include "apps/cli/arguments.h"
#include "apps/train/checkpoint.h"
#include "engine/ops.h"
#include "nn/init.h"
#include "tests/scratch_file.h"
#include "tests/support.h"

using namespace glassgrad;
using namespace glassgrad::learn;
using testing::ScratchFile;

namespace {

Tensor shown(const Recording& recording, const char* step, const char* name) {
  for (const Step& s : recording.steps)
    for (const Entry& e : s.entries)
      if (s.id == step && e.name == name) return e.value->tensor();
  FAIL("the run shows no ", step, ":", name);
  return {};
}

bool says(const Recording& recording, const char* step, std::string_view words) {
  for (const Step& s : recording.steps)
    for (const std::string& sentence : s.sentences)
      if (s.id == step && sentence.find(words) != sentence.npos) return true;
  return false;
}

// Draws weights as large as those of a trained model, so that no value is nearly 0.
std::unique_ptr<nn::GPT> drawn(const nn::GPTConfig& config) {
  manual_seed(5);
  auto model = std::make_unique<nn::GPT>(config);
  for (const Tensor& p : model->parameters()) nn::init::normal_(p, 0, 0.4);
  model->eval();
  return model;
}

std::string saved(const nn::GPT& model, const ScratchFile& file) {
  train::Checkpoint checkpoint;
  checkpoint.settings.model = model.config();
  checkpoint.tokenizer = byte_tokenizer();
  checkpoint.weights = model.named_parameters();
  checkpoint.draws.generator = default_generator().state();
  train::save_checkpoint(file.path(), checkpoint);
  return file.path();
}

}  // namespace

TEST_CASE("the lesson gpt computes what a trained model computes") {
  const nn::GPTConfig plain{
      .vocab_size = 256, .context_length = 6, .width = 12, .layers = 2, .heads = 3, .dropout = 0.5};
  const auto with = [&](auto change) {
    nn::GPTConfig config = plain;
    change(config);
    return config;
  };
  for (const nn::GPTConfig& config :
       {plain, with([](auto& c) { c.bias = false; }), with([](auto& c) { c.tie_weights = false; }),
        with([](auto& c) { c.tanh_gelu = false; }), with([](auto& c) { c.layers = c.heads = 1; }),
        with([](auto& c) { c.bias = c.tie_weights = c.tanh_gelu = false; })}) {
    const ScratchFile file;
    const std::unique_ptr<nn::GPT> model = drawn(config);
    const auto trained = std::make_shared<TrainedModel>(saved(*model, file));
    const Runner run = runner(find_lesson("gpt"), trained, "a text");
    const Recording recording = run(Keep::Steps, {});
    const NoGrad no_grad;
    const std::vector<int64_t> ids = byte_tokenizer()->encode("a text");
    const Tensor logits = (*model)(from_values(ids, {1, std::ssize(ids)}));
    CHECK(max(abs(shown(recording, "logits", "logits") - logits)).item() < 1e-4);
    CHECK(says(recording, "logits", "one table for both ends") == config.tie_weights);
    CHECK(says(recording, "norm", "by_hand") == true);
    CHECK(says(recording, "gelu", "by_hand") == true);
    CHECK(recording.lesson->id == std::string("gpt"));
    CHECK(recording.lesson->setting_specs.empty());
  }
}

TEST_CASE("a text that is longer than the context and a text of one token") {
  const ScratchFile file;
  const auto trained = std::make_shared<TrainedModel>(
      saved(*drawn({.vocab_size = 256, .context_length = 4, .width = 8, .layers = 1, .heads = 2}), file));
  const Recording cut = runner(find_lesson("gpt"), trained, "123456")(Keep::Steps, {});
  CHECK(shown(cut, "tokens", "ids").to_vector<int64_t>() == std::vector<int64_t>{'3', '4', '5', '6'});
  CHECK(says(cut, "tokens", "longer by 2 tokens"));
  const Recording one = runner(find_lesson("gpt"), trained, "1")(Keep::Backward, {});
  CHECK(!one.passes.empty());
  CHECK_THROWS_AS(runner(find_lesson("journey"), trained, "1"), UsageError);
  CHECK_THROWS_AS(runner(find_lesson("gpt"), trained, ""), UsageError);
}
