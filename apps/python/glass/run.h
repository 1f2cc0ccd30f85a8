// The record of a reader's program that ran under glass: the lines that did something to a tensor, in the
// order in which they ended.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "apps/lesson/lesson.h"

namespace glassgrad::python {

// The rounds to keep of the loop that goes backward or, without a backward pass, of the outermost loop.
struct KeptRounds {
  size_t last = 0;            // the number of last rounds; 0: from `first` to `end`
  size_t first = 1, end = 0;  // end 0: no end
  bool all() const { return last == 0 && first <= 1 && end == 0; }
};

struct RunFile {
  std::string name, stem;  // "train.py", "train"
  std::vector<std::string> lines;
};

struct RunFunction {
  size_t file = 0;
  std::string name;  // "MultiHeadAttention.forward"; empty at the file's top
};

// A value, under the name that the program gave it at that line.
struct NamedValue {
  std::string name;
  learn::Value value;
  std::string shared_with = {};  // a different name for the same memory at that moment …
  bool is_same = false;          // … which refers to exactly the same elements
};

// One round of a loop.
struct Round {
  int loop = 0;  // the line of the loop's head
  size_t number = 1;
  std::string variables = {};  // "i = 2"
};

struct RunLine {
  size_t function = 0;
  int line = 0, last = 0;               // the statement's lines, from 1
  bool is_entry = false;                // the start of a call: the values are its parameters
  size_t turn = 1;                      // how often this line has done something, this time included
  size_t first_call = 0, end_call = 0;  // the line's calls in the trace
  size_t caller = kNobody;              // the calling function, and the line of the call
  int called_at = 0;
  std::shared_ptr<const std::vector<Round>> rounds = {};  // the innermost loop first; null: no loop
  std::vector<NamedValue> values = {};
  std::string printed = {}, raised = {};

  static constexpr size_t kNobody = SIZE_MAX;
};

// A backward pass that the program started.
struct RunBackwardPass {
  size_t line = 0;  // index in `lines` of the line that started it
  learn::Value from;
  learn::TracePosition first, last;
};

struct ScriptRun {
  std::vector<RunFile> files;
  std::vector<RunFunction> functions;
  std::deque<RunLine> lines;
  std::vector<learn::Entry> given;
  std::vector<RunBackwardPass> passes;
  std::shared_ptr<Recorder> trace;
  learn::CallsBefore before;         // counts of the calls that are no longer kept
  size_t first_round = 0;            // the first kept round of the loop; 0: all are kept
  std::vector<std::string> remarks;  // what is missing, with numbers, one sentence each
};

// Turns the lines into steps. Ids are STEM-LINE, "train-31", and from the second turn on STEM-LINE.TURN,
// "train-31.2". Throws Error if the program has done nothing to a tensor.
learn::Recording recording_of(const ScriptRun& run, const learn::Lesson& lesson);

}  // namespace glassgrad::python
