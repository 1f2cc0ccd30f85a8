// The program's standard output: one buffer, every write checked, so that a full disk is an error and never a
// shorter result.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad {

// Whoever read our output has gone (`| head`): nothing is left to do, and nothing is wrong.
struct OutputClosed {};

class Output {
 public:
  explicit Output(int fd) : fd_(fd) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Error: what the system refused. OutputClosed: the reader has gone.
  void write(std::string_view text);
  void flush();  // what was written so far; the program ends with it
  bool is_terminal() const;
  struct Screen {
    size_t lines = 0, columns = 0;
  };
  Screen screen() const;  // of the terminal; 0 where it has no size

 private:
  int fd_;
  std::string pending_;
};

}  // namespace glassgrad
