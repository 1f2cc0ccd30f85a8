// inspect: which heads are tried if there is no time for all of them, and a model that a page carries.
#include "apps/model/model_run.h"
#include "apps/page/bytes_as_text.h"
#include "apps/page/inspect_data.h"
#include "apps/page/model_engine.h"
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

TEST_CASE("a model in a page computes what the one computes that it was made of") {
  manual_seed(2);
  const auto tokenizer = word_tokenizer("cats climb trees\ndogs climb\n");
  nn::GPT model({.vocab_size = tokenizer->size(), .context_length = 4, .width = 8, .layers = 1, .heads = 2});
  model.eval();
  const Json carried = explorer::carried_json(model, *tokenizer);
  const auto text = [&](const char* key) { return carried.at(key).get<std::string>(); };
  explorer::ModelEngine engine;
  CHECK(testing::contains(engine.read_text("cats", -1, 0, 3), "no model has been read"));
  CHECK(testing::contains(engine.read(text("config"), text("tokenizer"), "AAAA"), "does not hold"));
  CHECK(engine.read(text("config"), text("tokenizer"), text("weights")) ==
        R"({"words":["\\n","␣climb","␣trees","cats","dogs"]})");
  for (const std::optional<inspect::Head> zeroed : {std::optional<inspect::Head>{}, {{0, 1}}}) {
    const inspect::ReportView view{.layers = 1, .layer = {}, .head = {}, .top = 3, .zeroed = zeroed};
    const learn::Recording run =
        inspect::run_recorded(model, *tokenizer, tokenizer->encode("dogs climb trees"), zeroed, HUGE_VAL);
    CHECK(engine.read_text("dogs climb trees", zeroed ? 0 : -1, 1, 3) ==
          json_text(explorer::inspect_json(run, *tokenizer, view)));
  }
  CHECK(testing::contains(engine.read_text("birds climb", -1, 0, 3), R"(never read the word \"birds\")"));
  CHECK(testing::contains(engine.read_text("trees", -1, 0, 3), R"(\"trees\" without a space before it)"));
  CHECK(testing::contains(engine.read_text("cats climb trees\ndogs climb", -1, 0, 3),
                          "6 tokens, but the model sees 4"));
  CHECK(testing::contains(engine.read_text("", -1, 0, 3), "Type a word"));
}

TEST_CASE("text gives the bytes back that it was written from") {
  std::string bytes("\0\x01\xff\x80z", 5);
  for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
  for (size_t n = 0; n <= bytes.size(); ++n)
    CHECK(explorer::bytes_of_text(explorer::text_of_bytes(bytes.substr(0, n))) == bytes.substr(0, n));
  CHECK(explorer::text_of_bytes("Man") == "`%d+");
  const std::string text = explorer::text_of_bytes(bytes);
  CHECK(text.find_first_of("\"<\\ \n") == text.npos);
  CHECK_THROWS_AS(explorer::bytes_of_text("a<"), Error);
}
