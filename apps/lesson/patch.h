// What is changed in a run of a document: lines of its program, and numbers. A reader's line, a cell that is
// set, a classic mistake and a central difference are all patches. Settings, inputs and weights are Settings.
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
  std::vector<ChangedLine> lines = {};  // of the lesson's file; the last one of each counts
  std::vector<Poke> pokes = {};         // calls of the lesson's own, those of its losses' passes not counted
  std::vector<InputPoke> given = {};
  std::function<Tensor(const Tensor&)> loss = {};  // the number to start from, undefined: none
  bool sentences = true;  // false: nobody reads them, and a lesson need not make them

  // What the run is given under this name: x, or a copy of it with other numbers.
  Tensor poked(const std::string& name, const Tensor& x) const;
};

// The block and the document with these lines. Error: `FILE:LINE: …` where the document has no such line.
Block patched(const Block& block, std::span<const ChangedLine> lines);
Document patched(const Document& document, std::span<const ChangedLine> lines);

// What a step's mistake changes in the block above it.
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
// The lines of a step that can be edited: those that the lesson's file has and that are not empty.
std::vector<CodeLine> editable_lines(const Step& step);

// What has to be written so that `text` stands in place of a line of the file that a step shows: a line of a
// call's code stands in its function as well, and in the other steps that show it. UsageError: no step shows
// that line, or it stands nowhere in the program. Error: `FILE:LINE: …` for a text that no lesson has.
std::vector<ChangedLine> edit(const Recording& recording, int line, const std::string& text);

}  // namespace glassgrad::learn
