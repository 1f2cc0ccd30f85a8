// Files, read and written with care: every error names the file, what was wrong and where.
#pragma once
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "../core/error.h"

namespace glassgrad {

// What the system calls an error number: "No space left on device".
std::string system_text(int error);

// As check, for a call of the system: its error stands in the text behind the arguments given. Errno is read
// in here, for arguments of one call are computed in any order: beside the call in the same brackets it may
// still be that of another.
template <class... A>
void check_system(bool ok, fmt::format_string<A..., std::string> text, A&&... args) {
  if (ok) [[likely]]
    return;
  const int error = errno;
  throw Error(fmt::format(text, std::forward<A>(args)..., system_text(error)));
}

// What a file says, fit for a terminal: at most 40 characters, '?' for what is not printable ASCII.
std::string excerpt(std::string_view text);

// A regular file, read from front to back. A directory, a pipe or a device is refused without reading from
// it.
class InputFile {
 public:
  // Error: does not exist, may not be read, is not a regular file.
  explicit InputFile(std::string path);
  ~InputFile();
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  uint64_t offset() const { return offset_; }
  uint64_t left() const { return size_ - offset_; }
  // The next n bytes. Error: the file ends before them, or cannot be read.
  void read(void* to, size_t n);

 private:
  std::string path_;
  int fd_;
  uint64_t size_ = 0, offset_ = 0;
};

// A file that appears whole or not at all: written beside its target, then renamed over it by commit().
// Through a symbolic link the file it points to is replaced; an existing file keeps its permissions.
class OutputFile {
 public:
  explicit OutputFile(const std::string& path);
  ~OutputFile();  // without commit(): removes what was written
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  void write(const void* from, size_t n);
  // Data on the disk, then the new name, then the folder. Error: anything the system refuses.
  void commit();

 private:
  std::string path_, temporary_;
  int fd_ = -1;
};

}  // namespace glassgrad
