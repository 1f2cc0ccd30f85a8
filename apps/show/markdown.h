// Text as Markdown.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad::learn {

// Each character stands for itself: what Markdown would read as a mark has a backslash before it.
std::string escaped(std::string_view text);

// A sentence on a line of its own. Words that are Python become code: names with underscores (W_query), calls
// (contiguous()), elements (queries[1]), attributes (keys.T), keyword arguments (dim=-1).
std::string prose(std::string_view sentence);

}  // namespace glassgrad::learn
