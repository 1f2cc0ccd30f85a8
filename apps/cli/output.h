// The program's standard output: one buffer, every write checked, so that a full disk is an error and never a
// shorter result. Text shown to people cannot control their terminal.
#pragma once
#include <string>
#include <string_view>

namespace glassgrad {

// Thrown when the reader of our output has gone (`| head`): the program ends, without an error.
struct OutputClosed {};

class Output {
 public:
  // Shown: the output goes to a terminal, or to a pager in front of a terminal. AsItIs: to a file or a pipe.
  enum class Kind { AsItIs, Shown };
  explicit Output(int fd);
  Output(int fd, Kind kind) : fd_(fd), kind_(kind) {}
  Output(const Output&) = delete;
  Output& operator=(const Output&) = delete;

  // Writes text. If Shown, all but line feeds and tabs passes printable first, and an incomplete character
  // waits for the next call. Throws Error if the system refuses the write, OutputClosed if the reader has
  // gone.
  void write(std::string_view text);
  // Writes our own commands to the terminal, and text between them that has already passed printable.
  void control(std::string_view text);
  void flush();  // writes the buffer; the last call of the program
  bool is_terminal() const;
  struct Screen {
    size_t lines = 0, columns = 0;
  };
  Screen screen() const;  // the terminal's size; 0 if it is unknown

 private:
  int fd_;
  Kind kind_;
  std::string pending_, unfinished_;
};

}  // namespace glassgrad
