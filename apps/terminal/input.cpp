#include "apps/terminal/input.h"

#include <poll.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <utility>

namespace glassgrad {
namespace {

constexpr int kForever = -1;

// Returns how long the rest of a key's bytes may take, in milliseconds. A terminal writes them at once, but
// over a network they may come in pieces.
int within_key() { return std::getenv("SSH_CONNECTION") ? 200 : 10; }

}  // namespace

Input::Got Input::read(int milliseconds, int other) {
  if (ended_) return Got::End;
  pollfd sources[] = {{STDIN_FILENO, POLLIN, 0}, {signals_.fd(), POLLIN, 0}, {other, POLLIN, 0}};
  const int ready = ::poll(sources, 3, milliseconds);
  if (ready < 0 && errno == EINTR) return Got::Signal;
  if (ready == 0) return Got::Nothing;
  if (ready > 0 && sources[1].revents) return Got::Signal;
  if (ready > 0 && !sources[0].revents) return Got::Other;
  std::array<char, 4096> buffer;
  const ssize_t n = ::read(STDIN_FILENO, buffer.data(), buffer.size());
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return Got::Signal;
  if (n <= 0) {  // a terminal that is gone answers with an error
    ended_ = true;
    return Got::End;
  }
  bytes_.append(buffer.data(), static_cast<size_t>(n));
  return Got::Bytes;
}

std::optional<std::string> Input::line() {
  size_t end;
  while ((end = bytes_.find('\n')) == std::string::npos) {
    const Got got = read(kForever);
    if (got == Got::Signal) signals_.take();
    if (got != Got::End) continue;
    if (bytes_.empty()) return {};
    return std::exchange(bytes_, {});
  }
  std::string line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  return line;
}

void Input::wait_for(int other) {
  pollfd sources[] = {{other, POLLIN, 0}, {signals_.fd(), POLLIN, 0}};
  while (true) {
    const int ready = ::poll(sources, 2, kForever);
    if (ready > 0 && sources[0].revents) return;
    if (ready > 0 || errno == EINTR) signals_.take();
  }
}

Input::Event Input::wait(Key& key, int other, bool has_work) {
  bool complete = false;
  if (!ahead_.empty()) {
    key = std::move(ahead_.front());
    ahead_.pop_front();
    return Event::Key;
  }
  while (true) {
    if (const std::optional<Key> found = take_key(bytes_, complete)) {
      key = *found;
      if (key.is_control('c')) throw Interrupted{SIGINT};  // if the terminal makes no signal of it
      return Event::Key;
    }
    const bool in_key = !bytes_.empty();
    switch (in_key ? read(within_key()) : read(has_work ? 0 : kForever, other)) {
      case Got::Signal:
        if (signals_.take()) return Event::Redraw;
        break;
      case Got::Other:
        return Event::Ready;
      case Got::End:
        if (bytes_.empty()) return Event::End;
        complete = true;
        break;
      case Got::Nothing:
        if (!in_key) return Event::Ready;
        complete = true;
        break;
      case Got::Bytes:
        complete = false;
        break;
    }
  }
}

}  // namespace glassgrad
