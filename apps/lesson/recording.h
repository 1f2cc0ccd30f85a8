// The result of a lesson's run: its steps, each with the values it named. Renderers read only this, so every
// number shown comes from the run itself.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/glass/recorder.h"
#include "engine/print.h"

namespace glassgrad::learn {

struct Difference;
struct Differences;

// A tensor as it was at one moment, with what PyTorch would have printed about it then.
struct Value : Snapshot {
  std::string grad_fn;
  bool requires_grad = false, is_parameter = false;
  std::optional<size_t> node;  // index of its grad_fn in Recorder::nodes(), if calls are recorded
  uint64_t made_by = 0;        // seq of the same node, 0: none …
  uint32_t nr = 0;             // … and which of its results it is

  std::string repr() const;  // PyTorch's text
};
Value value_of(const Tensor& x, Snapshot snapshot);

using glassgrad::SnapshotElement;

// The prefix for the names of values that wrong lines make.
inline constexpr std::string_view kWrong = "wrong_";

// Where a block of a step's code, or a value, comes from.
enum class Whose : uint8_t {
  Source,    // the lesson's program
  OurPrint,  // a value of the source that we print, because the source does not
  Ours,      // added by us
  Wrong,     // lines with a mistake, or a value that they make
  View,      // computed only for display; nothing depends on it
};

// A named tensor, a line that the source prints, or both.
struct Entry {
  std::string name;            // TENSOR in an address; empty: only a line of text
  std::optional<Value> value;  // of a named tensor
  bool printed = false;        // by the program
  Whose whose = Whose::Source;
  std::string label;                   // what it prints before the value, or the whole line
  std::vector<std::string> axes = {};  // a word for each dimension of the value (axes.h)
  bool row_sums = false;               // the sum of a row has a meaning: weights add to 1
  bool reworded = false;               // a line whose text differs from that in the compared run
  // The difference from the run that this run was compared with or, for a wrong value, from the right one.
  // Null if there is no difference or no comparison.
  std::shared_ptr<const Difference> changed = {};

  std::string print_text() const;  // what the program's print writes, without the last newline
};

// A formula for a terminal, "Q K^T / sqrt(d_k)", and the same in LaTeX for a page.
struct Formula {
  std::string text, latex;
};

// Lines of a step's code that belong together.
struct CodeBlock {
  size_t first = 0, count = 0;
  Whose whose = Whose::Source;
  std::string inside;  // the call whose lines these are, "mha(batch)"; empty: they ran by themselves
  std::string raised;  // the last line of the traceback that ended them; empty: none
  int line = 0;        // of the first line, in the lesson's file; 0: in none
  std::vector<int> function_lines = {};       // for a call's lines: the function's line for each; 0: none
  std::vector<size_t> our_prints = {};        // which lines, from 0, are prints that we have added
  std::map<size_t, std::string> edited = {};  // lines that the reader changed, from 0: the text before
  std::string mistake = {};  // for wrong lines: the mistake, as Markdown; `edited` has the right lines

  // Returns where line k is in the lesson's file, as a part of the program; 0 if unknown.
  int at(size_t k) const {
    return !inside.empty() ? k < function_lines.size() ? function_lines[k] : 0
           : line          ? line + static_cast<int>(k)
                           : 0;
  }
};

// A question that the lesson itself asks about a step.
struct StepQuestionText {
  std::string question;
  std::vector<std::string> choices, hints;
  size_t right = 0;  // the index of the right choice
  std::string why;
};

struct Step {
  std::string id;       // STEP in an address
  int number = 0;       // from 1, among all steps
  int main_number = 0;  // from 1, among the main steps; an inner step has that of its main step
  int sub_number = 0;   // from 1, among the inner steps of the same step; 0: a main step
  std::string section;  // of the source; empty: none
  std::string title;
  std::string heading;                 // the title as Markdown; empty: it has no marks
  std::vector<std::string> sentences;  // Markdown (markdown.h)
  std::vector<Formula> formulas;
  std::vector<std::string> code;       // lines of PyTorch …
  std::vector<CodeBlock> code_blocks;  // … and their kinds, if a lesson's file says them; see blocks()
  size_t first_call = 0;               // in the trace: the step's calls begin here
  std::string about;  // for a step of a backward pass: the lesson's step that shows its tensor
  std::vector<Entry> entries;
  std::vector<StepQuestionText> asks;
  size_t lead = kAll;               // how many sentences come before the values
  std::vector<size_t> stated = {};  // which sentences the run neither computes nor checks
  std::string outputs;              // what the program of a lesson's file has printed here
  // For a reader's program that ran under glass: the file, and the lines of the statement in it.
  std::string file;
  int line = 0, last_line = 0;

  static constexpr size_t kAll = SIZE_MAX;
  std::span<const std::string> said_before() const;  // the values
  std::span<const std::string> said_after() const;
  std::vector<CodeBlock> blocks() const;  // all lines of the code
  bool is_inside() const { return sub_number > 0; }
  std::string place() const;  // its number for a reader: "12", or "12.3" inside step 12
  std::span<const std::string> lines(const CodeBlock& b) const {
    return std::span(code).subspan(b.first, b.count);
  }
};

// A position in a trace.
struct TracePosition {
  size_t call = 0, backward = 0, gradient = 0;
};

// A backward pass, and what it started from.
struct BackwardPass {
  std::string name;           // "sum(context_vecs)"
  std::string sum_of;         // "context_vecs"; empty: the tensor is a number by itself
  size_t step = 0;            // the index of the step that names it
  Value value;                // a number
  TracePosition first, last;  // the pass lies between them
};

// How many calls of a run came before those that are kept: outside of backward passes, and inside.
struct CallsBefore {
  size_t forward = 0, backward = 0;
};

struct Lesson;
struct Recording {
  int main_step_count() const { return steps.back().main_number; }  // not counting inner steps

  const Lesson* lesson = nullptr;
  std::shared_ptr<const Recorder> trace;  // every call of the run; null unless requested
  bool has_skipped_calls = false;         // of long trainings (call_filter.h)
  // Multiplications in products of matrices: in the run, kept or not, and in the backward passes that were
  // requested.
  int64_t multiplications = 0, backward_multiplications = 0;
  // The inputs and parameters that the run began with, as a step that is not shown; empty without the trace.
  Step given;
  std::vector<Entry> leaves;        // other than parameters, by the program's names, as they were when bound
  std::vector<std::string> tokens;  // names of the elements along "query", "key" and "token"
  std::vector<Step> steps;
  std::vector<BackwardPass> passes;  // empty unless backward passes were requested
  bool own_passes = false;           // the program itself started the passes: their calls are the program's
  CallsBefore before;
  std::map<std::string, std::vector<std::string>> files;  // for a program that ran under glass: lines
  std::string no_loss;                                    // why there can be no loss, if that is known
  std::string flags;  // " --seed 7": settings that differ from the lesson's own, quoted for a shell
  std::string edits;  // "  # line 25: x = 2": changed lines, which no flag has, as a shell's comment
  // From the run it was compared with; null: it was not compared.
  std::shared_ptr<const Differences> differences;
};

}  // namespace glassgrad::learn
