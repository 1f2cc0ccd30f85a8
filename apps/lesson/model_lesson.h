// Runs a lesson on a trained model instead of the model that the lesson trains itself.
#pragma once
#include <memory>
#include <optional>
#include <string>

#include "apps/lesson/trained_model.h"

namespace glassgrad::learn {

// Runs the lesson on the model, which reads the text. Without a text, the model reads "cats climb trees
// during" or, if the vocabulary does not know these words, the beginning of its own validation text. If a
// text is longer than the context, the program reads its last tokens. Throws UsageError for a lesson that
// takes no model, an empty text, or words that the model has never seen. The runner throws IndexError if a
// patch has an id outside of the vocabulary.
Runner runner(const Lesson& lesson, std::shared_ptr<const TrainedModel> model,
              const std::optional<std::string>& text);

}  // namespace glassgrad::learn
