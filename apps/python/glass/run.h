// What a program of the reader's has left behind that ran under glass: the lines that did something to a
// tensor, in the order in which they ended.
#pragma once
#include <deque>
#include <string>
#include <vector>

#include "apps/lesson/lesson.h"

namespace glassgrad::python {

// Which rounds of the loop that goes backward are kept; without a backward pass, of the outermost loop.
struct KeptRounds {
  size_t last = 0;            // the last so many; 0: from `first` to `end`
  size_t first = 1, end = 0;  // end 0: to the end
  bool all() const { return last == 0 && first <= 1 && end == 0; }
};

struct RunFile {
  std::string name, stem;  // "train.py", "train"
  std::vector<std::string> lines;
};

struct RunFunction {
  size_t file = 0;
  std::string name;  // "MultiHeadAttention.forward"; of the file's top, empty
};

// A value, under the name that the program gave it at that line.
struct NamedValue {
  std::string name;
  learn::Value value;
  std::string shared_with = {};  // another name of that moment for the same memory …
  bool is_same = false;          // … which names the very same elements
};

// Time round a loop.
struct Round {
  int loop = 0;  // the line of its head
  size_t number = 1;
  std::string variables = {};  // "i = 2"
};

struct RunLine {
  size_t function = 0;
  int line = 0, last = 0;               // the statement's, from 1
  bool is_entry = false;                // a call of the function begins: the values are its parameters
  size_t turn = 1;                      // so often this line has done something, this time included
  size_t first_call = 0, end_call = 0;  // of the trace: its calls
  size_t caller = kNobody;              // the function that called this one, and where
  int called_at = 0;
  std::shared_ptr<const std::vector<Round>> rounds = {};  // the innermost loop first; null: no loop
  std::vector<NamedValue> values = {};
  std::string printed = {}, raised = {};

  static constexpr size_t kNobody = SIZE_MAX;
};

// A backward pass of the program's own.
struct RunPass {
  size_t line = 0;  // of lines: where it was started
  learn::Value from;
  learn::TracePosition first, last;
};

struct ScriptRun {
  std::vector<RunFile> files;
  std::vector<RunFunction> functions;
  std::deque<RunLine> lines;
  std::vector<learn::Entry> given;
  std::vector<RunPass> passes;
  std::shared_ptr<Recorder> trace;
  learn::CallsBefore before;         // calls that nobody keeps any more
  size_t first_round = 0;            // of the loop, that is kept; 0: nothing was left out
  std::vector<std::string> remarks;  // what is not there, with numbers: a sentence each
};

// The lines as steps. Ids are STEM-LINE, "train-31", and from the second turn on STEM-LINE.TURN,
// "train-31.2". Error: the program has done nothing to a tensor.
learn::Recording recording_of(const ScriptRun& run, const learn::Lesson& lesson);

}  // namespace glassgrad::python
