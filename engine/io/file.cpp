#include "file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <climits>
#include <cstring>
#include <filesystem>

namespace glassgrad {
namespace {

constexpr size_t kMaxTransfer = size_t{1} << 30;  // one system call moves at most 2 GiB

// Returns a path beside the file to be replaced, with its name shortened to the system's limit if necessary.
std::string temporary_beside(const std::string& path) {
  static std::atomic<int> serial{0};  // threads may be writing the same file
  const std::string ending = fmt::format(".{}-{}.tmp", ::getpid(), serial++);
  const size_t slash = path.rfind('/'), start = slash == path.npos ? 0 : slash + 1;
  const size_t most = std::min<size_t>(start + NAME_MAX, PATH_MAX - 1);
  const size_t room = most > start + ending.size() ? most - ending.size() : start;
  return path.substr(0, std::min(path.size(), room)) + ending;
}

}  // namespace

std::string system_text(int error) { return std::strerror(error); }

InputFile::InputFile(std::string path) : path_(std::move(path)) {
  // Opening a pipe without a writer must not block.
  fd_ = ::open(path_.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  check_system(fd_ >= 0, "{}: cannot be opened: {}", path_);
  struct stat info {};
  const int unknown = ::fstat(fd_, &info) == 0 ? 0 : errno;
  if (unknown || !S_ISREG(info.st_mode)) {
    ::close(fd_);
    check(unknown == 0, "{}: cannot be examined: {}", path_, system_text(unknown));
    fail("{}: is {}, not a regular file; give the path of a file", path_,
         S_ISDIR(info.st_mode) ? "a directory" : "a pipe or a device");
  }
  size_ = static_cast<uint64_t>(info.st_size);
}

InputFile::~InputFile() { ::close(fd_); }

void InputFile::read(void* to, size_t n) {
  check(n <= left(), "{}: truncated: {} bytes are needed at byte {}, but the file ends at byte {}", path_, n,
        offset_, size_);
  char* place = static_cast<char*>(to);
  while (n > 0) {
    const ssize_t got = ::read(fd_, place, std::min(n, kMaxTransfer));
    if (got < 0 && errno == EINTR) continue;
    check_system(got >= 0, "{}: cannot be read at byte {}: {}", path_, offset_);
    check(got > 0, "{}: became shorter while it was read: ends at byte {}", path_, offset_);
    place += got;
    n -= static_cast<size_t>(got);
    offset_ += static_cast<uint64_t>(got);
  }
}

OutputFile::OutputFile(const std::string& path) : path_(path) {
  std::error_code unresolved;
  const auto target = std::filesystem::weakly_canonical(path, unresolved);
  if (!unresolved) path_ = target.string();
  struct stat old {};
  const bool exists = ::stat(path_.c_str(), &old) == 0;
  check(!exists || S_ISREG(old.st_mode),
        "{}: is not a regular file and will not be replaced; choose another name", path_);
  temporary_ = temporary_beside(path_);
  ::unlink(temporary_.c_str());
  fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  check_system(fd_ >= 0, "{}: cannot be created: {}", path_);
  if (exists && ::fchmod(fd_, old.st_mode & 07777) != 0) {
    const int why = errno;
    ::close(std::exchange(fd_, -1));
    ::unlink(temporary_.c_str());
    fail("{}: cannot keep its permissions: {}", path_, system_text(why));
  }
}

OutputFile::~OutputFile() {
  if (fd_ >= 0) ::close(fd_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(const void* from, size_t n) {
  const char* place = static_cast<const char*>(from);
  while (n > 0) {
    const ssize_t put = ::write(fd_, place, std::min(n, kMaxTransfer));
    if (put < 0 && errno == EINTR) continue;
    check_system(put >= 0, "{}: cannot be written: {}", path_);
    place += put;
    n -= static_cast<size_t>(put);
  }
}

void OutputFile::commit() {
  check_system(::fsync(fd_) == 0, "{}: cannot be written: {}", path_);
  check_system(::close(std::exchange(fd_, -1)) == 0, "{}: cannot be written: {}", path_);
  check_system(::rename(temporary_.c_str(), path_.c_str()) == 0, "{}: cannot be replaced: {}", path_);
  temporary_.clear();
  const std::string folder = std::filesystem::path(path_).parent_path().string();
  const int fd = ::open(folder.empty() ? "." : folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  int why = fd >= 0 && ::fsync(fd) == 0 ? 0 : errno;
  if (fd >= 0 && why == EINVAL) why = 0;  // some file systems cannot sync a folder
  if (fd >= 0) ::close(fd);
  check(why == 0, "{}: was written, but its folder could not be flushed to the disk: {}", path_,
        system_text(why));
}

}  // namespace glassgrad
