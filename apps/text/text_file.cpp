#include "text_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>

#include "engine/io/file.h"

namespace glassgrad {

namespace {

std::string contents(InputFile& file) {
  std::string text(file.size(), '\0');
  file.read(text.data(), text.size());
  return text;
}

}  // namespace

std::string read_text(const std::string& path) {
  InputFile file(path);
  check(
      file.size() <= kMaxText,
      "{}: has {} bytes; a text that is kept in memory has at most {}. Take the byte tokenizer, which reads "
      "a file of any size piece by piece, or a part of the file",
      path, file.size(), kMaxText);
  return contents(file);
}

std::string read_file(const std::string& path, uint64_t most) {
  InputFile file(path);
  check(file.size() <= most, "{}: has {} bytes; at most {} are read", path, file.size(), most);
  return contents(file);
}

void write_text(const std::string& path, std::string_view text) {
  OutputFile file(path);
  file.write(text.data(), text.size());
  file.commit();
}

RandomAccessFile::RandomAccessFile(const std::string& path) : path_(path) {
  size_ = InputFile(path).size();  // throws for anything that is not a regular file
  fd_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  check_system(fd_ >= 0, "{}: cannot be opened: {}", path);
}

RandomAccessFile::~RandomAccessFile() { ::close(fd_); }

void RandomAccessFile::read(uint64_t offset, void* to, size_t n) const {
  constexpr size_t kMaxTransfer = size_t{1} << 30;  // one system call moves at most 2 GiB
  char* place = static_cast<char*>(to);
  while (n > 0) {
    const ssize_t got = ::pread(fd_, place, std::min(n, kMaxTransfer), static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    check_system(got >= 0, "{}: cannot be read at byte {}: {}", path_, offset);
    check(got > 0, "{}: became shorter while it was read: had {} bytes, now ends before byte {}", path_,
          size_, offset + 1);
    place += got;
    offset += static_cast<uint64_t>(got);
    n -= static_cast<size_t>(got);
  }
}

}  // namespace glassgrad
