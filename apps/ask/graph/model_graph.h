// The graph that a trained model leaves when it reads a text.
#pragma once
#include <optional>
#include <string>

#include "apps/ask/graph/graph.h"

namespace glassgrad::graph {

// Of the loss, in evaluation: the mean cross-entropy of each token of the text from those before it. Without
// a text, the first tokens of the vocabulary. UsageError: a text of one token, or of more than the model and
// one more. Error: no checkpoint.
Graph graph_of_model(const std::string& path, const std::optional<std::string>& text, bool expand);

}  // namespace glassgrad::graph
