// A temporary file, removed with the object.
#pragma once
#include <doctest/doctest.h>
#include <unistd.h>

#include <filesystem>
#include <string>
#include <string_view>

namespace testing {

class ScratchFile {
 public:
  explicit ScratchFile(std::string_view contents = "")
      : path_((std::filesystem::temp_directory_path() / "glassgrad-test-XXXXXX").string()),
        fd_(::mkstemp(path_.data())) {
    REQUIRE(fd_ >= 0);
    write_at(0, contents);
  }
  ~ScratchFile() {
    ::close(fd_);
    ::unlink(path_.c_str());
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;

  const std::string& path() const { return path_; }
  // Returns false if the file system refuses that length.
  bool resize(int64_t size) const { return ::ftruncate(fd_, size) == 0; }
  void write_at(int64_t offset, std::string_view bytes) const {
    REQUIRE(::pwrite(fd_, bytes.data(), bytes.size(), offset) == std::ssize(bytes));
  }

 private:
  std::string path_;
  int fd_;
};

}  // namespace testing
