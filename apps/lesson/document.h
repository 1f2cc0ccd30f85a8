// A lesson's file, read: a PyTorch program with prose (docs/lesson-format.md). Reading runs nothing.
#pragma once
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "apps/lesson/group.h"
#include "engine/tensor.h"

namespace glassgrad::learn {

// The mark `#: NAME` on a line of a block, other than `ours` and `blank`.
struct LineMark {
  size_t line = 0;            // of the block's lines, from 0
  std::string setting;        // a setting's name, or "inputs"
  size_t begin = 0, end = 0;  // for a setting: where its number stands in the line
};

// The words for a tensor's dimensions, one each ("query", "key"); no words: unknown.
struct AxisWords {
  std::vector<std::string> words;
  bool sums = false;  // the sum of a row has a meaning
};

struct Directive {
  enum Kind : uint8_t { Show, View, Hide, Loss } kind = Show;
  std::string name, expression;  // without `=`, the expression is the name
  AxisWords axes;                // no words: none
  int line = 0;
};

struct FencedCode {
  enum Whose : uint8_t { Source, Ours, Hidden } whose = Source;
  std::string mistake;        // the mistake, as Markdown: these lines replace the blank of the block above
  std::string raises;         // the exception that ends it; empty: none
  std::string inside, below;  // "mha(batch)", "heads.*"; empty: it runs
  std::vector<std::string> lines;  // as they stand in the file, with markers and comments
  std::vector<LineMark> marks;
  std::map<size_t, AxisWords> axes;  // by line, from 0
  std::vector<size_t> our_prints;    // lines marked `#: ours`
  std::vector<size_t> blank;         // lines marked `#: blank`: the right ones
  std::vector<Directive> directives;
  int line = 0;                          // in the file, of its first line: the one after the backticks
  std::map<size_t, std::string> edited;  // by line, from 0, if the reader wrote it: the text before

  // Returns the code to run, with these settings in place of the defaults. Lines keep their numbers.
  std::string program(const std::map<std::string, std::string>& settings) const;
  // Returns the lines to show and export: the same without marks and axes.
  std::vector<std::string> shown(const std::map<std::string, std::string>& settings) const;
};

struct Paragraph {
  std::string text;  // as a Python f-string has it, its lines joined by spaces
  int line = 0;
};
struct Math {
  std::string text, latex;
};

// ::: if and ::: claim.
using Branch = std::vector<std::variant<Paragraph, Math>>;
struct Condition {
  bool claim = false;
  std::string expression;
  Branch then, otherwise;
  int line = 0;
};
// ::: ask, a question with choices. The right choice is the one whose text equals the answer.
struct AskedInFile {
  Paragraph question, why;
  std::vector<Paragraph> choices, hints;
  std::string answer;  // an expression
  int answer_line = 0, line = 0;
};
constexpr size_t kHints = 3;
using Item = std::variant<Paragraph, Math, Condition, FencedCode, AskedInFile>;

struct DocumentStep {
  std::string id, title, part;       // part: the heading `## ` above it
  std::vector<std::string> aliases;  // older addresses that lead here
  bool inside = false;               // takes apart the last step above it on the road, and is off the road
  std::vector<Item> items;
  std::vector<Paragraph> hints;  // for an exercise: kHints of them
  // Expressions that give an exercise's right values instead of the solution: ("grad_a", "a.grad").
  std::vector<std::pair<std::string, std::string>> expected;
  int line = 0;

  const FencedCode* right() const;  // the block with a blank; null: there is none
  // The mistake that the step shows, and the block whose blank the wrong lines replace; null: it shows none.
  // The mistakes of an exercise, which has hints, are not shown: they explain a wrong answer.
  struct Mistake {
    const FencedCode *right = nullptr, *wrong = nullptr;
  };
  Mistake mistake() const;
};

// A name that exercises bind to a size; the second run of an answer binds it to a different size.
struct DocumentSize {
  std::string name;
  int64_t first = 0, second = 0;
};

struct DocumentSetting {
  std::string name, flag;  // "seed_v2", "--seed-v2"
  bool real = false;
  std::optional<double> low, high;
  std::string what, default_text;
  int line = 0;
};

struct Document {
  std::string file, id;  // "journey.md", "journey"
  std::string written;   // the file's text
  std::string title, understand;
  int minutes = 0;
  Group group = Group::Own;
  int place = 0;    // in its group
  int sources = 0;  // how many it follows or compares; 0: it answers a question of its own
  std::vector<std::string> tokens;
  std::vector<DocumentSetting> settings;
  std::vector<DocumentSize> sizes;
  std::vector<std::pair<std::string, std::vector<std::string>>> moved;  // (lesson, addresses)
  std::vector<FencedCode> opening;                                      // hidden blocks before the first step
  std::vector<DocumentStep> steps;
  bool has_inputs = false;                      // a line is marked #: inputs
  bool takes_model = false;                     // it has blocks `python model`
  std::map<std::string, std::string> literals;  // values of a trained model, by the names of the marks
  bool is_edited = false;                       // by the reader: what the file says about values may be false

  const DocumentStep* step(std::string_view address) const;  // by its address or an alias; null: none
  // Returns the lesson that now has the step of an older address; null if the step has not moved.
  const std::string* moved_to(std::string_view address) const;
};

inline constexpr size_t kMostOfLesson = 1 << 20;  // bytes of a file
// Throws Error `journey.md:25: …` for whatever docs/lesson-format.md refuses. With the literals of a trained
// model, blocks `python model` replace the blocks above them, and the document has no settings; without,
// these blocks are left out.
Document read_document(std::string_view text, std::string file,
                       const std::map<std::string, std::string>* model = nullptr);
// Reads a plain program as a lesson: a step for each top-level statement, named line-1, line-2 … after its
// line.
Document document_of_program(std::string_view text, std::string file);

// The findings of a lesson's run, besides its steps.
struct LessonFindings {
  std::vector<std::string> problems;             // "journey.md:25: this claim does not hold: …"
  std::map<const Paragraph*, std::string> said;  // the sentences, with their numbers

  bool is_told(const Branch& branch) const;  // whether a sentence of it was said
};

// The changes that an exported program has from the file.
struct ExportChanges {
  std::map<std::string, std::string> settings;  // in force, by name
  Tensor inputs;                                // in place of the program's own; undefined: none
};
// Returns the program alone, which runs unchanged on PyTorch; or a notebook with the prose between (JSON of
// nbformat 4).
std::string python_of(const Document& document, const ExportChanges& changes);
std::string notebook_of(const Document& document, const ExportChanges& changes,
                        const LessonFindings& findings);

}  // namespace glassgrad::learn
