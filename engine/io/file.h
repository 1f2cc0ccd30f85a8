// Reads and writes files. Every error names the file, what was wrong and where.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/error.h"

namespace glassgrad {

// Returns the system's text for an error number: "No space left on device".
std::string system_text(int error);

// Like check, for a system call: appends the system's error text to the arguments. Reads errno itself. A
// caller could not pass errno beside the call, because arguments are evaluated in any order.
template <class... A>
void check_system(bool ok, fmt::format_string<A..., std::string> text, A&&... args) {
  if (ok) [[likely]]
    return;
  const int error = errno;
  throw Error(fmt::format(text, std::forward<A>(args)..., system_text(error)));
}

// Returns text from a file in a form that is safe on a terminal: at most 40 characters, with '?' for
// everything that is not printable ASCII.
std::string excerpt(std::string_view text);

// A regular file, read from front to back. Refuses a directory, a pipe or a device without reading from it.
class InputFile {
 public:
  // Throws Error if the path does not exist, may not be read or is not a regular file.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  uint64_t offset() const { return offset_; }
  uint64_t left() const { return size_ - offset_; }
  // Reads the next n bytes. Throws Error if the file ends before that or cannot be read.
  void read(void* to, size_t n);

 private:
  std::string path_;
  int fd_;
  uint64_t size_ = 0, offset_ = 0;
};

// Writes a file that appears whole or not at all: it is written beside its target, and commit() renames it
// over the target. For a symbolic link, replaces the file that it points to. An existing file keeps its
// permissions.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();  // without commit(): removes what was written
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* from, size_t n);
  // Flushes the data, renames, then flushes the folder. Throws Error if any of these fails.
  void commit();

 private:
  std::string path_, temporary_;
  int fd_ = -1;
};

}  // namespace glassgrad
