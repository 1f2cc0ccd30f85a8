// Formats a lesson's sentences for a terminal, with remarks on who wrote a part.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/lesson/recording.h"
#include "apps/terminal/line.h"

namespace glassgrad::learn {

// Returns sentences wrapped into lines; each list item has its own lines. Terms and bold words become
// attributes, code is unchanged, and a link to a step is followed by its address, "journey#masked-scores".
// Link number `lit`, from 0, is highlighted.
std::vector<Line> said(std::span<const std::string> sentences, size_t columns,
                       std::optional<size_t> lit = {});
// Returns the targets of their links, in order: "journey.md#masked-scores", "#inputs".
std::vector<std::string> links_of(std::span<const std::string> sentences);
// Returns the same as text; if it is not empty, it ends with a line feed.
std::string said_text(std::span<const std::string> sentences, size_t columns);

// Returns the remark about a value besides its name: "wrong"; in a lesson that follows a source, "ours" or
// "our print" for values that the source does not have or print; else empty.
std::string whose_text(const Recording& recording, const Entry& entry);
// The same for the line above a block, also "inside mha(batch)". If other blocks of the step have a remark,
// those without one get "the source" or "the program".
std::string whose_text(const Recording& recording, const Step& step, const CodeBlock& block);
// Returns the word before a line that was replaced: "was"; for wrong lines "right".
const char* before_text(const CodeBlock& block);

}  // namespace glassgrad::learn
