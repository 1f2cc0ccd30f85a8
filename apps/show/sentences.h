// What a lesson says, and whose things are, for a terminal.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "apps/lesson/recording.h"
#include "apps/terminal/line.h"

namespace glassgrad::learn {

// Sentences filled into lines, a point of a list on lines of its own: terms and bold words by attributes,
// code as it is, behind a link to a step its address, "journey#masked-scores".
// The link `lit` of them, counted from 0, is painted as a cursor.
std::vector<Line> said(std::span<const std::string> sentences, size_t columns,
                       std::optional<size_t> lit = {});
// Where their links lead, in order: "journey.md#masked-scores", "#inputs".
std::vector<std::string> links_of(std::span<const std::string> sentences);
// The same as text, which ends with a line feed where there is any.
std::string said_text(std::span<const std::string> sentences, size_t columns);

// What to say of a value besides its name: "wrong"; in a lesson that follows a source "ours" or "our print"
// of what is not the source's; empty: nothing.
std::string whose_text(const Recording& recording, const Entry& entry);
// The same above a block's lines, and "inside mha(batch)"; beside such lines "the source", "the program".
std::string whose_text(const Recording& recording, const Step& step, const CodeBlock& block);
// Before the line that stood in place of one of the block: "was"; of wrong lines "right".
const char* before_text(const CodeBlock& block);

}  // namespace glassgrad::learn
