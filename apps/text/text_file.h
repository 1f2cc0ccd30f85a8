// Files of text and of tokens.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

namespace glassgrad {

// The longest text that is kept in memory: the tokens of it take eight times as much while it is encoded.
inline constexpr uint64_t kMaxText = uint64_t{256} << 20;
// The longest of other files that are kept in memory, such as vocab.json: GPT-2's has a megabyte.
inline constexpr uint64_t kMaxDescription = uint64_t{16} << 20;

// A whole file that a training learns from. Error: not a regular file, cannot be read, longer than kMaxText.
std::string read_text(const std::string& path);
// A whole file of another kind. Error: longer than `most`.
std::string read_file(const std::string& path, uint64_t most);
// Makes or replaces a file, by a whole one or not at all. Error: what OutputFile says.
void write_text(const std::string& path, std::string_view text);

// A regular file, read at any place; never more of it in memory than is asked for.
class FileWindow {
 public:
  // Error: does not exist, may not be read, is not a regular file.
  explicit FileWindow(const std::string& path);
  ~FileWindow();
  FileWindow(const FileWindow&) = delete;
  FileWindow& operator=(const FileWindow&) = delete;

  const std::string& path() const { return path_; }
  uint64_t size() const { return size_; }
  // n bytes from `offset` on, which lie in the file. Error: they do not any more, or cannot be read.
  void read(uint64_t offset, void* to, size_t n) const;

 private:
  std::string path_;
  uint64_t size_ = 0;
  int fd_ = -1;
};

}  // namespace glassgrad
