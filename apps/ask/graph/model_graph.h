// The autograd graph of a trained model that reads a text.
#pragma once
#include <optional>
#include <string>

#include "apps/ask/graph/graph.h"

namespace glassgrad::graph {

// Returns the graph of the loss in evaluation: the mean cross-entropy of each token of the text, given the
// tokens before it. Without a text, reads the first tokens of the vocabulary. Throws UsageError for a text of
// one token, or of more tokens than the model's context length plus 1; Error if there is no checkpoint.
Graph graph_of_model(const std::string& path, const std::optional<std::string>& text, bool expand);

}  // namespace glassgrad::graph
