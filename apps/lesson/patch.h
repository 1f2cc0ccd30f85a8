// The changes to a run of a document: lines of its program, and numbers. A reader's line, a cell that is set
// and the step of a central difference are patches. Settings, inputs and weights are Settings.
#pragma once
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "apps/lesson/document.h"
#include "apps/lesson/recording.h"
#include "engine/glass/poke.h"

namespace glassgrad::learn {

struct ChangedLine {
  int line = 0;  // of the lesson's file
  std::string text, before;
  bool runs = true;  // false: it only shows a line that stands elsewhere
};

// Replaces a number of an input, weight or constant, or adds to it.
struct InputPoke {
  std::string name;
  Dims index = {};
  Scalar value = {};
  bool adds = false;
};

struct Patch {
  std::vector<ChangedLine> lines = {};  // of the lesson's file; for the same line, the last change counts
  std::vector<Poke> pokes = {};         // numbered by the lesson's own calls, without its losses' passes
  std::vector<InputPoke> given = {};
  std::function<Tensor(const Tensor&)> loss = {};  // the number that a pass starts from; undefined: no pass
  bool sentences = true;  // false: sentences are not needed, and a lesson may leave them out

  // Returns what the run is given under this name: x, or a copy of x with changed numbers.
  Tensor poked(const std::string& name, const Tensor& x) const;
};

// Returns the block or document with these lines. Throws Error `FILE:LINE: …` if the document has no such
// line.
FencedCode patched(const FencedCode& block, std::span<const ChangedLine> lines);
Document patched(const Document& document, std::span<const ChangedLine> lines);

// Returns the changes that a step's mistake makes in the block above it.
std::vector<ChangedLine> lines_of(const DocumentStep::Mistake& mistake);

// A line of a step's code, and the block that it belongs to.
struct CodeLine {
  const Step* step = nullptr;
  const CodeBlock* block = nullptr;
  size_t k = 0;  // in the block

  int line() const { return block->line + static_cast<int>(k); }
  int at() const { return block->at(k); }
  const std::string& text() const { return step->code[block->first + k]; }
};
// Returns the lines of a step that can be edited: those that the lesson's file has and that are not empty.
std::vector<CodeLine> editable_lines(const Step& step);

// Returns all changes that put `text` in place of a line of the file that a step shows: a line of a call's
// code stands in its function as well, and in the other steps that show it. Throws UsageError if no step
// shows that line, or it stands nowhere in the program; Error `FILE:LINE: …` for a text that no lesson may
// have.
std::vector<ChangedLine> edit(const Recording& recording, int line, const std::string& text);

}  // namespace glassgrad::learn
