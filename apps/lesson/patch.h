// Changes to one run of a document: lines of its program, and single numbers. Patches are used for a line
// that the reader edits, a cell that is set, and the shift of a central difference. (Settings has the inputs
// and weights.)
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
  bool runs = true;  // false: a copy for display of a line that runs elsewhere
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
  std::vector<Poke> pokes = {};         // numbered by the lesson's own calls, not counting passes from losses
  std::vector<InputPoke> given = {};
  // Returns the number that a pass starts from; undefined: no pass.
  std::function<Tensor(const Tensor&)> loss = {};
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

// Returns all changes that replace a line of the file that a step shows by `text`. A line in the code of a
// call is also a line of its function, and other steps may show it too. Throws UsageError if no step shows
// the line or it is not part of the program; Error `FILE:LINE: …` for a text that a lesson may not contain.
std::vector<ChangedLine> edit(const Recording& recording, int line, const std::string& text);

}  // namespace glassgrad::learn
