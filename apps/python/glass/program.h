// The files of a program that runs under glass: which code is the program's own, where its statements and
// loops stand.
#pragma once
#include <pybind11/pybind11.h>

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace glassgrad::python {

struct Statement {
  int first = 0, last = 0;   // lines, from 1; of what has a body, its head alone
  int loop = 0;              // the head of the innermost loop around it, its own if it is one; 0: none
  bool gives_names = false;  // to what is there already, so that no call tells of it: `y = x`
};

struct SourceFile {
  std::string name;                   // "train.py"; of two of one name, "b/train.py"
  std::vector<std::string> lines;     // the text, as it was when the program began
  std::vector<Statement> statements;  // by line, from 0; a line between statements has none: first 0
  struct Loop {
    int around = 0;  // the head of the loop around it; 0: none
    int body = 0;    // the first line below its head
    bool is_while = false;
    std::vector<std::string> variables;  // of a `for`: the names that it binds
  };
  std::map<int, Loop> loops;  // by the line of the head

  Statement at(int line) const;
  std::string stem() const;  // "train"
};

// What is known of a code object.
struct CodeInfo {
  const SourceFile* file = nullptr;  // null: not the program's
  std::string function;              // "MultiHeadAttention.forward"; of a file's top, empty
  int line = 0;                      // of its first statement or `def`
  bool is_part = false;              // of the line that runs it: a comprehension, a lambda
  bool is_generator = false;
};

class Program {
 public:
  // read(path): what there is to know of a file of the program's, or None; runner/glass.py has it.
  explicit Program(pybind11::object read) : read_(std::move(read)) {}

  const CodeInfo& of(PyCodeObject* code);
  const SourceFile* file(const std::string& path);
  const std::map<std::string, std::unique_ptr<SourceFile>>& files() const { return files_; }

 private:
  pybind11::object read_;
  std::map<std::string, std::unique_ptr<SourceFile>> files_;  // by path; null: not the program's
  std::unordered_map<PyCodeObject*, CodeInfo> known_;         // which are held, so that none takes the place
};

}  // namespace glassgrad::python
