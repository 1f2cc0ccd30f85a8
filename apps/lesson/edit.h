// A lesson's program with lines that the reader has written anew.
#pragma once
#include <span>
#include <string>
#include <vector>

#include "apps/lesson/document.h"
#include "apps/lesson/recording.h"

namespace glassgrad::learn {

struct EditedLine {
  int line = 0;  // of the lesson's file
  std::string text, before;
  bool runs = true;  // false: it only shows a line that stands elsewhere
};

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
// that line, or it stands nowhere in the program.
std::vector<EditedLine> edit(const Recording& recording, int line, const std::string& text);

// The document with these lines, the last one of each. Error: `FILE:LINE: …` for a text that no lesson has.
Document edited(const Document& document, std::span<const EditedLine> lines);

}  // namespace glassgrad::learn
