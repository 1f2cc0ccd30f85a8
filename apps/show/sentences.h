// What a lesson says, and whose things are, for a terminal.
#pragma once
#include <span>
#include <string>

#include "apps/lesson/recording.h"
#include "apps/terminal/line.h"

namespace glassgrad::learn {

// Sentences filled into lines, a point of a list on lines of its own: terms and bold words by attributes,
// code as it is, behind a link to a step its address, "journey#masked-scores".
std::vector<Line> said(std::span<const std::string> sentences, size_t columns);
// The same as text, which ends with a line feed where there is any.
std::string said_text(std::span<const std::string> sentences, size_t columns);

// "printed", "our print", "ours", …; empty: a value that the source computes and does not print.
std::string whose_text(const Entry& entry);
// Above a block's lines: "inside mha(batch)", "ours", in a step that has such others "the source" or "the
// program"; empty: there is nothing to say.
std::string whose_text(const Step& step, const CodeBlock& block);
// Before the line that stood in place of one of the block: "was"; of wrong lines "right".
const char* before_text(const CodeBlock& block);

}  // namespace glassgrad::learn
