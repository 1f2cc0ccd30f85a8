// A lesson on a trained model: its document with the model in place of the one that it trains itself.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "apps/lesson/trained_model.h"

namespace glassgrad::learn {

// Runs the lesson on the model reading the text; without one "cats climb trees during", or, where the
// vocabulary does not know that, the beginning of the model's own validation text. The program reads the last
// tokens of a text that is longer than the context. UsageError: a lesson that takes no model, an empty text,
// or words that the model has never seen. A run throws IndexError for a patch with an id outside of the
// vocabulary.
Runner runner(const Lesson& lesson, std::shared_ptr<const TrainedModel> model,
              const std::optional<std::string>& text);

}  // namespace glassgrad::learn
