// inspect: which heads are tried if there is no time for all of them.
#include "apps/model/model_run.h"
#include "tests/support.h"

using namespace glassgrad;

namespace {

const learn::Step& last_step(const learn::Recording& recording) { return recording.steps.back(); }

Tensor change(const learn::Recording& recording) {
  return last_step(recording).entries.front().value->tensor();  // (layers, heads)
}

}  // namespace

TEST_CASE("heads are tried from the last layer on while there is time") {
  manual_seed(1);
  nn::GPT model({.vocab_size = 256, .context_length = 8, .width = 16, .layers = 3, .heads = 2, .dropout = 0});
  model.eval();
  const auto tokenizer = byte_tokenizer();
  const std::vector<int64_t> tokens = tokenizer->encode("cats");
  const double one = model.config().training_flops_per_token() / 3 * double(tokens.size()) / 3;
  const Tensor all = change(inspect::run_recorded(model, *tokenizer, tokens, {}, HUGE_VAL));
  CHECK(sum(isnan(all)).item<int64_t>() == 0);
  struct Case {
    double heads;  // how many heads of the last layer there is time for
    int tried;
  };
  for (const Case& c : {Case{0, 1}, {1.5, 1}, {2.5, 2}, {7, 4}}) {
    const learn::Recording some = inspect::run_recorded(model, *tokenizer, tokens, {}, c.heads * one);
    CHECK_MESSAGE(sum(isnan(change(some))).item<int64_t>() == 6 - c.tried, c.heads);
    for (int i = 0; i < c.tried; ++i)
      CHECK(change(some)[2 - i / 2][i % 2].item() == all[2 - i / 2][i % 2].item());
    CHECK(testing::contains(last_step(some).sentences.front(), fmt::format("{} of the 6 heads", c.tried)));
  }
  const learn::Recording asked = inspect::run_recorded(model, *tokenizer, tokens, inspect::Head{1, 0}, 0);
  CHECK(last_step(asked).title == "Without head 0 of layer 1");
}
