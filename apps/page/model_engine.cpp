#include "apps/page/model_engine.h"

#include <cstring>
#include <nlohmann/json.hpp>

#include "apps/cli/arguments.h"
#include "apps/page/bytes_as_text.h"
#include "apps/page/inspect_data.h"
#include "apps/page/json_or_error.h"
#include "apps/text/unknown.h"
#include "apps/train/settings.h"
#include "engine/ops.h"

namespace glassgrad::explorer {

Json carried_json(const nn::GPT& model, const Tokenizer& tokenizer) {
  std::string bytes;
  for (const NamedTensor& parameter : model.named_parameters())
    for (const double number : parameter.tensor.to_vector<double>()) {
      const auto single = static_cast<float>(number);
      bytes.append(reinterpret_cast<const char*>(&single), sizeof single);
    }
  return {{"config", train::to_json(model.config()).dump()},
          {"tokenizer", tokenizer.to_json()},
          {"weights", text_of_bytes(bytes)}};
}

std::string ModelEngine::read(std::string_view config, std::string_view tokenizer, std::string_view weights) {
  return json_or_error([&] {
    tokenizer_ = tokenizer_from_json(tokenizer, "the page");
    model_ = std::make_unique<nn::GPT>(train::config_from_json(config, "the page's model"));
    const std::string bytes = bytes_of_text(weights);
    check(bytes.size() == size_t(model_->config().parameters()) * sizeof(float),
          "the page does not hold the model's weights");
    std::vector<NamedTensor> read = model_->named_parameters();
    const char* from = bytes.data();
    for (NamedTensor& parameter : read) {
      std::vector<double> numbers(size_t(parameter.tensor.numel()));
      for (double& number : numbers) {
        float single = 0;
        std::memcpy(&single, from, sizeof single);
        from += sizeof single;
        number = single;
      }
      parameter.tensor = from_values(numbers, parameter.tensor.shape());
    }
    model_->load_state_dict(read);
    model_->eval();
    Json words = Json::array();
    for (int64_t id = 0; id < tokenizer_->size() - tokenizer_->stand_ins(); ++id)
      words.push_back(tokenizer_->token_text(id));
    return Json{{"words", std::move(words)}};
  });
}

std::string ModelEngine::read_text(std::string_view text, int64_t layer, int64_t head, int64_t top) const {
  return json_or_error([&] {
    check(model_ != nullptr, "no model has been read");
    const nn::GPTConfig& config = model_->config();
    check<UsageError>(!text.empty(), "Type a word for the model to read.");
    const std::string unknown = never_read(*tokenizer_, text);
    check<UsageError>(unknown.empty(), "The model has never read {}.", unknown);
    const std::vector<int64_t> tokens = tokenizer_->encode(text);
    check<UsageError>(std::ssize(tokens) <= config.context_length,
                      "The text has {} tokens, but the model sees {} at once: take some away.", tokens.size(),
                      config.context_length);
    inspect::ReportView view{.layers = config.layers, .layer = {}, .head = {}, .top = top, .zeroed = {}};
    if (layer >= 0) view.zeroed = inspect::Head{layer, head};
    return inspect_json(inspect::run_recorded(*model_, *tokenizer_, tokens, view.zeroed, inspect::kMostFlops),
                        *tokenizer_, view);
  });
}

}  // namespace glassgrad::explorer
