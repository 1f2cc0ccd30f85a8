#include "apps/cli/output.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "engine/core/error.h"

namespace glassgrad {
namespace {

constexpr size_t kBuffer = 1 << 16;

}  // namespace

void Output::write(std::string_view text) {
  pending_ += text;
  if (pending_.size() >= kBuffer) flush();
}

void Output::flush() {
  std::string_view left = pending_;
  while (!left.empty()) {
    const ssize_t n = ::write(fd_, left.data(), left.size());
    if (n >= 0) {
      left.remove_prefix(static_cast<size_t>(n));
    } else if (errno == EAGAIN) {  // somebody made the pipe non-blocking
      pollfd ready{fd_, POLLOUT, 0};
      ::poll(&ready, 1, -1);
    } else if (errno == EPIPE) {
      pending_.clear();
      throw OutputClosed();
    } else if (errno != EINTR) {
      const int why = errno;
      pending_.clear();
      fail("cannot write the output: {}", std::strerror(why));
    }
  }
  pending_.clear();
}

bool Output::is_terminal() const { return ::isatty(fd_) == 1; }

Output::Screen Output::screen() const {
  winsize size{};
  if (::ioctl(fd_, TIOCGWINSZ, &size) != 0) return {};
  return {size.ws_row, size.ws_col};
}

}  // namespace glassgrad
