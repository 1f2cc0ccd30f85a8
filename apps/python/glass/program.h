// The files of a program that runs under glass: which code is the program's own, and where its statements and
// loops are.
#pragma once
#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace glassgrad::python {

struct Statement {
  int first = 0, last = 0;   // lines, from 1; of a compound statement, only its header
  int loop = 0;              // line of the innermost loop's head, its own if it is a loop; 0: none
  bool gives_names = false;  // may bind a name without a call, as `y = x` does
};

struct SourceFile {
  std::string name;                   // "train.py"; "b/train.py" if two files have that name
  std::vector<std::string> lines;     // the text when the program began
  std::vector<Statement> statements;  // by line, from 0; first is 0 for a line outside of statements
  struct Loop {
    int around = 0;  // head of the enclosing loop; 0: none
    int body = 0;    // the first line below its head
    bool is_while = false;
    std::vector<std::string> variables;  // the names that a `for` binds
  };
  std::map<int, Loop> loops;  // by the line of the head

  Statement at(int line) const;
  std::string stem() const;  // "train"
};

// The file and the function that a code object belongs to.
struct CodeInfo {
  const SourceFile* file = nullptr;  // null: not part of the program
  std::string function;              // "MultiHeadAttention.forward"; empty at the file's top
  int line = 0;                      // of its first statement or `def`
  bool is_part = false;              // a comprehension or a lambda, which counts as part of its line
  bool is_generator = false;
};

class Program {
 public:
  // read(path): the text, statements and loops of a program's file, else None (runner/glass.py).
  explicit Program(pybind11::object read) : read_(std::move(read)) {}

  const CodeInfo& of(PyCodeObject* code);
  const SourceFile* file(const std::string& path);
  const std::map<std::string, std::unique_ptr<SourceFile>>& files() const { return files_; }

 private:
  pybind11::object read_;
  std::map<std::string, std::unique_ptr<SourceFile>> files_;  // by path; null: not part of the program
  std::unordered_map<PyCodeObject*, CodeInfo> known_;         // holds the codes, so that no address is reused
};

}  // namespace glassgrad::python
