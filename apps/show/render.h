// Renderers: each turns a recording, or a part of it, into text, without computing numbers. All except
// render_outputs report how the recording differs from the one it was compared with.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "apps/cli/output.h"
#include "apps/lesson/selection.h"

namespace glassgrad::learn {

// Writes only what the source's own print calls print.
void render_outputs(Steps steps, Output& out);
// Every tensor as PyTorch's exact text under a line "# STEP:TENSOR"; the source's prints in one step are one
// block. Lines that begin with "# " report changes.
void render_plain(const Recording& recording, Steps steps, Output& out);
// For reading: title, sentences, PyTorch lines, tensors.
void render_text(const Recording& recording, Steps steps, Output& out);
constexpr size_t kWidth = 79;
// Returns one step, with the sentences filled into lines of `width`.
std::string step_text(const Recording& recording, const Step& step, size_t width = kWidth);
// For listening: one sentence per line, tensors row by row with the names of their rows and columns.
void render_spoken(const Recording& recording, Steps steps, Output& out);
std::string spoken(const Recording& recording, const Step& step);  // one step of it
// A chapter: title, contents, and each step with its formulas and tensors; a part of the steps has no frame.
// Shows only the first of more than two heads, and only the first matrices of a tall tensor.
enum class MarkdownFor : uint8_t { Pages, Terminal };  // a terminal gets formulas as text, and no links
void render_markdown(const Recording& recording, Steps steps, Output& out);
std::string markdown_of(const Recording& recording, Steps steps, MarkdownFor reader);
// {"lesson", "tokens", "steps": [{"id", "number", "title", "tensors": [{"name", "shape", "dtype", "data",
// "whose", "printed"}]}]}. whose: "source", "our print", "ours", "wrong" or "view" (Whose). data: nested
// lists of numbers that read back exactly ("NaN", "Infinity", "-Infinity" as strings); above 100,000 elements
// null, and "checksum": "crc32:" of the elements' little-endian bytes in logical order. If the recording was
// compared: "changes" for the whole, and in each tensor that differs "changed", the indices of the cells that
// differ, or above 1,000 only how many.
void render_json(const Recording& recording, Steps steps, Output& out);
// One entry per step: number, id, title, tensors.
void render_list(Steps steps, Output& out);
// All lessons: id, source, what you will understand, minutes; then `command`, "Start one: glassgrad learn",
// with an id.
void render_lessons(std::string_view command, Output& out);

}  // namespace glassgrad::learn
