// Files of text and of tokens.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace glassgrad {

// The longest text that is kept in memory: during encoding its tokens take eight times as much.
inline constexpr uint64_t kMaxText = uint64_t{256} << 20;
// The longest other file that is kept in memory, such as vocab.json: GPT-2's has a megabyte.
inline constexpr uint64_t kMaxDescription = uint64_t{16} << 20;

// Returns a whole file that a training learns from. Throws Error if it is not a regular file, cannot be read,
// or is longer than kMaxText.
std::string read_text(const std::string& path);
// Returns a whole file of a different kind. Throws Error if it is longer than `most`.
std::string read_file(const std::string& path, uint64_t most);
// Creates or replaces a file, whole or not at all. Throws Error as OutputFile does.
void write_text(const std::string& path, std::string_view text);

// A regular file, read at any place; never more of it is in memory than is requested.
class RandomAccessFile {
 public:
  // Throws Error if the file does not exist, may not be read, or is not a regular file.
  explicit RandomAccessFile(const std::string& path);
  ~RandomAccessFile();
  RandomAccessFile(const RandomAccessFile&) = delete;
  RandomAccessFile& operator=(const RandomAccessFile&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  // Reads n bytes from `offset` on, which must be in the file. Throws Error if they no longer are, or cannot
  // be read.
  void read(uint64_t offset, void* to, size_t n) const;

 private:
  std::string path_;
  uint64_t size_ = 0;
  int fd_ = -1;
};

}  // namespace glassgrad
