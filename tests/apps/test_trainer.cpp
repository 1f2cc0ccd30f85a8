// Stops and resumes a training, with dropout masks drawn on the CPU or on a GPU.
#include <doctest/doctest.h>

#include "apps/train/trainer.h"
#include "tests/gpu.h"
#include "tests/scratch_file.h"

using namespace glassgrad;
using namespace glassgrad::train;

namespace {

Settings small() {
  Settings s;
  s.model = {.vocab_size = 0, .context_length = 8, .width = 16, .layers = 1, .heads = 2, .dropout = 0.25};
  s.batch = 4;
  s.steps = 12;
  return s;
}

std::vector<double> losses_of(Trainer& trainer, int64_t steps) {
  std::vector<double> losses;
  for (int64_t i = 0; i < steps; ++i) losses.push_back(trainer.step().loss);
  return losses;
}

// Compares a whole training with one resumed after step 5, which on a GPU is a replay of the captured graph.
void check_going_on(Device device) {
  const DefaultDevice here(device);
  Settings settings = small();
  const Corpus corpus(settings, nullptr);
  settings.model.vocab_size = corpus.tokenizer->size();
  Trainer whole(settings, corpus);
  const std::vector<double> all = losses_of(whole, 9);
  CHECK(whole.graph().is_captured() == (device != kCpu));
  CHECK(whole.graph().why_not_captured() == "");
  Trainer first(settings, corpus);  // seeds anew
  losses_of(first, 5);
  const testing::ScratchFile file;
  save_checkpoint(file.path(), first.checkpoint({}));

  const Checkpoint checkpoint = load_checkpoint(file.path());
  CHECK((checkpoint.draws.gpu_words > 0) == (device != kCpu));
  Trainer rest(settings, corpus, checkpoint, file.path());
  rest.seconds_per_step();  // draws random numbers, then restores the generator
  CHECK(losses_of(rest, 4) == std::vector<double>(all.begin() + 5, all.end()));
  if (device == kCpu) return;
  const DefaultDevice without(kCpu);
  CHECK(Trainer(settings, corpus, checkpoint, file.path()).checkpoint({}).draws.gpu_words ==
        checkpoint.draws.gpu_words);
}

}  // namespace

TEST_CASE("a training goes on with the masks that it would have drawn") { check_going_on(kCpu); }

TEST_CASE("a training on a GPU goes on with the masks that it would have drawn") {
  if (testing::has_gpu()) check_going_on(testing::kGpu);
}
