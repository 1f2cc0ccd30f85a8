#include "apps/cli/output.h"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "apps/cli/text_width.h"
#include "engine/io/file.h"

namespace glassgrad {
namespace {

constexpr size_t kBuffer = 1 << 16;

}  // namespace

Output::Output(int fd) : Output(fd, ::isatty(fd) == 1 ? Kind::Shown : Kind::AsItIs) {}

void Output::write(std::string_view text) {
  if (kind_ == Kind::AsItIs) return control(text);
  const std::string joined = unfinished_ + std::string(text);
  const size_t whole = joined.size() - unfinished(joined);
  unfinished_ = joined.substr(whole);
  std::string shown;
  for (size_t at = 0; at < whole; ++at) {
    const size_t end = std::min(joined.find_first_of("\n\t", at), whole);
    shown += printable(std::string_view(joined).substr(at, end - at));
    if (end < whole) shown += joined[end];
    at = end;
  }
  control(shown);
}

void Output::control(std::string_view text) {
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
      fail("cannot write the output: {}", system_text(why));
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
