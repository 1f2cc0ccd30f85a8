// Renderers: each turns a recording, or a part of it, into text. None computes anything. All but
// render_outputs say what differs from a recording that this one was compared with.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "apps/cli/output.h"
#include "apps/lesson/selection.h"

namespace glassgrad::learn {

// What the source's own print calls print, nothing else.
void render_outputs(Steps steps, Output& out);
// Every tensor as PyTorch's exact text under a line "# STEP:TENSOR"; what the source prints in one step is
// one block. What has changed is said in lines that begin with "# ".
void render_plain(const Recording& recording, Steps steps, Output& out);
// For reading: title, sentences, PyTorch lines, tensors.
void render_text(const Recording& recording, Steps steps, Output& out);
constexpr size_t kWidth = 79;
// One step of it, sentences filled into lines of `width`.
std::string step_text(const Recording& recording, const Step& step, size_t width = kWidth);
// For listening: one sentence a line, tensors row by row with the names of what they hold.
void render_spoken(const Recording& recording, Steps steps, Output& out);
std::string spoken(const Recording& recording, const Step& step);  // one step of it
// A chapter: title, contents, and each step with its formulas and tensors; a part of the steps without the
// frame. Of more than two heads the first is shown, of a tall tensor the first matrices.
enum class MarkdownFor : uint8_t { Pages, Terminal };  // a terminal gets formulas as text, and no links
void render_markdown(const Recording& recording, Steps steps, Output& out);
std::string markdown_of(const Recording& recording, Steps steps, MarkdownFor reader);
// {"lesson", "tokens", "steps": [{"id", "number", "title", "tensors": [{"name", "shape", "dtype",
// "data", "whose", "printed"}]}]}. whose: "source", "our print", "ours" or "view" (Whose). data: nested lists
// of numbers that read back exactly ("NaN", "Infinity", "-Infinity" as strings); above 100,000 elements null,
// and "checksum": "crc32:" of the elements' little-endian bytes in logical order. Of a recording that was
// compared with another: "changes" in all, and in each tensor that differs "changed", the indices of its
// cells, or above 1,000 how many.
void render_json(const Recording& recording, Steps steps, Output& out);
// One entry a step: number, id, title, tensors.
void render_list(Steps steps, Output& out);
// All lessons: id, source, what you will understand, minutes; and the command, "Start one: glassgrad learn",
// that takes an id.
void render_lessons(std::string_view command, Output& out);

}  // namespace glassgrad::learn
