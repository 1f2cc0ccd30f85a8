// Renderers: each turns a recording, or a part of it, into text. None computes anything.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "apps/learn/lesson.h"
#include "apps/output.h"

namespace glassgrad::learn {

using Steps = std::span<const Step>;

// What one types to have the recording again: "glassgrad learn journey --seed 7".
std::string command_of(const Recording& recording);
// "section 3.5.1" and what comes between it and the next word; "" for a step without one.
std::string section_text(const Step& step, std::string_view after);
// Where the chapters have the step, or the one that a backward step is about:
// "docs/journey.md#masked-scores". Of a lesson without a chapter, the command that shows it.
std::string anchor(const Recording& recording, const Step& step);

// What the source's own print calls print, nothing else.
void render_outputs(Steps steps, Output& out);
// Every tensor as PyTorch's exact text under a line "# STEP:TENSOR"; what the source prints in one step is
// one block.
void render_plain(Steps steps, Output& out);
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
void render_markdown(const Recording& recording, Steps steps, Output& out);
// {"lesson", "tokens", "steps": [{"id", "number", "title", "tensors": [{"name", "shape", "dtype",
// "data"}]}]}. data: nested lists of numbers that read back exactly ("NaN", "Infinity", "-Infinity" as
// strings); above 100,000 elements null, and "checksum": "crc32:" of the elements' little-endian bytes in
// logical order.
void render_json(const Recording& recording, Steps steps, Output& out);
// One entry a step: number, id, title, tensors.
void render_list(Steps steps, Output& out);
// All lessons: id, source, what you will understand, minutes; and the command, "Start one: glassgrad learn",
// that takes an id.
void render_lessons(std::string_view command, Output& out);

}  // namespace glassgrad::learn
