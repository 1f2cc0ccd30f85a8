// A lesson's sentences, and the author of each part, for a terminal.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/lesson/recording.h"
#include "apps/terminal/line.h"

namespace glassgrad::learn {

// Returns sentences filled into lines, a point of a list on lines of its own: terms and bold words by
// attributes, code unchanged, after a link to a step its address, "journey#masked-scores". The link number
// `lit`, counted from 0, is painted as a cursor.
std::vector<Line> said(std::span<const std::string> sentences, size_t columns,
                       std::optional<size_t> lit = {});
// Returns the targets of their links, in order: "journey.md#masked-scores", "#inputs".
std::vector<std::string> links_of(std::span<const std::string> sentences);
// Returns the same as text, which ends with a line feed if there is any.
std::string said_text(std::span<const std::string> sentences, size_t columns);

// Returns the remark about a value besides its name: "wrong"; in a lesson that follows a source, "ours" or
// "our print" for what is not the source's; else empty.
std::string whose_text(const Recording& recording, const Entry& entry);
// The same for the line above a block's lines, with "inside mha(batch)" too; for the blocks beside these,
// "the source" or "the program".
std::string whose_text(const Recording& recording, const Step& step, const CodeBlock& block);
// Returns the word before the line that a line of the block has replaced: "was"; for wrong lines "right".
const char* before_text(const CodeBlock& block);

}  // namespace glassgrad::learn
