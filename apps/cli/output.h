// The program's standard output: one buffer, every write checked, so that a full disk is an error and never a
// shorter result. What is shown to people can do nothing to their terminal.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad {

// Whoever read our output has gone (`| head`): nothing is left to do, and nothing is wrong.
struct OutputClosed {};

class Output {
 public:
  // What is written to a terminal, or to a pager in front of one, is shown; else it goes as it is.
  enum class Kind { AsItIs, Shown };
  explicit Output(int fd);
  Output(int fd, Kind kind) : fd_(fd), kind_(kind) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // What is shown passes printable, all but line feeds and tabs; a character that is not whole yet waits for
  // the next call. Error: what the system refused. OutputClosed: the reader has gone.
  void write(std::string_view text);
  // Commands of our own to the terminal, and text that has passed printable between them.
  void control(std::string_view text);
  void flush();  // what was written so far; the program ends with it
  bool is_terminal() const;
  struct Screen {
    size_t lines = 0, columns = 0;
  };
  Screen screen() const;  // of the terminal; 0 where it has no size

 private:
  int fd_;
  Kind kind_;
  std::string pending_, unfinished_;
};

}  // namespace glassgrad
