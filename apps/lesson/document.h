// A parsed lesson file: a PyTorch program with prose (docs/lesson-format.md). Parsing runs nothing.
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
  size_t begin = 0, end = 0;  // for a setting: the range of its number in the line
};

// The words for a tensor's dimensions, one each ("query", "key"); no words: unknown.
struct AxisWords {
  std::vector<std::string> words;
  bool sums = false;  // the sum of a row has a meaning
};

struct Directive {
  enum Kind : uint8_t { Show, View, Hide, Loss } kind = Show;
  std::string name, expression;  // without `=`, the name is also the expression
  AxisWords axes;                // no words: none
  int line = 0;
};

struct FencedCode {
  enum Whose : uint8_t { Source, Ours, Hidden } whose = Source;
  std::string mistake;        // a mistake as Markdown: the block's lines replace the blank of the block above
  std::string raises;         // the exception that ends it; empty: none
  std::string inside, below;  // "mha(batch)", "heads.*"; empty: it runs
  std::vector<std::string> lines;  // as in the file, with markers and comments
  std::vector<LineMark> marks;
  std::map<size_t, AxisWords> axes;  // by line, from 0
  std::vector<size_t> our_prints;    // lines marked `#: ours`
  std::vector<size_t> blank;         // lines marked `#: blank`, which hold the solution
  std::vector<Directive> directives;
  int line = 0;                          // in the file, of its first line: the one after the backticks
  std::map<size_t, std::string> edited;  // lines that the reader has changed, from 0, with their text before

  // Returns the code to run, with these settings in place of the defaults. Lines keep their numbers.
  std::string program(const std::map<std::string, std::string>& settings) const;
  // Returns the lines to show: the program without marks and axes.
  std::vector<std::string> shown(const std::map<std::string, std::string>& settings) const;
};

struct Paragraph {
  std::string text;  // in the form of a Python f-string, its lines joined by spaces
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
  bool inside = false;               // an inner step: takes apart the last main step above it
  std::vector<Item> items;
  std::vector<Paragraph> hints;  // for an exercise: kHints of them
  // Expressions that give the right values of an exercise, instead of running the solution: ("grad_a",
  // "a.grad").
  std::vector<std::pair<std::string, std::string>> expected;
  int line = 0;

  const FencedCode* right() const;  // the block with a blank; null: there is none
  // The mistake that the step shows, and the block whose blank its wrong lines replace; null: none. In an
  // exercise (a step with hints), mistakes are not shown; they explain wrong answers.
  struct Mistake {
    const FencedCode *right = nullptr, *wrong = nullptr;
  };
  Mistake mistake() const;
};

// A size used by exercises. An answer is run twice, the second time with a different value.
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
  int sources = 0;  // how many sources it follows or compares; 0: none, it answers a question
  std::vector<std::string> tokens;
  std::vector<DocumentSetting> settings;
  std::vector<DocumentSize> sizes;
  std::vector<std::pair<std::string, std::vector<std::string>>> moved;  // (lesson, addresses)
  std::vector<FencedCode> opening;                                      // hidden blocks before the first step
  std::vector<DocumentStep> steps;
  bool has_inputs = false;                      // a line is marked #: inputs
  bool takes_model = false;                     // it has blocks `python model`
  std::map<std::string, std::string> literals;  // values of a trained model, by the names of the marks
  // By the reader: the file's statements about values may be false.
  bool is_edited = false;

  const DocumentStep* step(std::string_view address) const;  // by its address or an alias; null: none
  // Returns the lesson to which the step at this older address has moved; null if it has not.
  const std::string* moved_to(std::string_view address) const;
};

inline constexpr size_t kMostOfLesson = 1 << 20;  // bytes of a file
// Throws Error `journey.md:25: …` for everything that docs/lesson-format.md does not allow. If a trained
// model's literals are given, blocks `python model` replace the blocks above them, and the document has no
// settings. Otherwise these blocks are left out.
Document read_document(std::string_view text, std::string file,
                       const std::map<std::string, std::string>* model = nullptr);
// Reads a plain program as a lesson: a step for each top-level statement, named line-1, line-2 … after its
// line.
Document document_of_program(std::string_view text, std::string file);

// The results of a lesson's run besides its steps.
struct LessonFindings {
  std::vector<std::string> problems;             // "journey.md:25: this claim does not hold: …"
  std::map<const Paragraph*, std::string> said;  // the sentences, with their numbers

  bool is_told(const Branch& branch) const;  // true if one of its sentences was shown
};

// The changes to make to an exported program.
struct ExportChanges {
  std::map<std::string, std::string> settings;  // in force, by name
  Tensor inputs;                                // in place of the program's own; undefined: none
};
// python_of returns the program alone, which runs unchanged on PyTorch. The other returns a notebook that
// includes the prose (JSON, nbformat 4).
std::string python_of(const Document& document, const ExportChanges& changes);
std::string notebook_of(const Document& document, const ExportChanges& changes,
                        const LessonFindings& findings);

}  // namespace glassgrad::learn
