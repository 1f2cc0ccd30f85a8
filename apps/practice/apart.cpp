#include "apps/practice/apart.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "apps/cli/clock.h"
#include "apps/cli/memory.h"

namespace glassgrad::practice {
namespace {

constexpr char kDone = '.';  // sent last, without the '\n' that ends every line

void write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const ssize_t n = ::write(file, text.data(), text.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) ::_exit(1);  // the parent has gone
    text.remove_prefix(static_cast<size_t>(n));
  }
}

// A child process. The destructor kills it and waits for it.
class Child {
 public:
  Child(pid_t id, int from) : id_(id), from_(from) {}
  ~Child() {
    ::kill(id_, SIGKILL);
    ::close(from_);
    while (::waitpid(id_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  bool listen(double seconds, const Hear& hear) {
    std::string text;
    double end = seconds_now() + seconds;
    for (char block[4096];;) {
      const int left = static_cast<int>(std::max(0.0, end - seconds_now()) * 1000);
      pollfd asked{.fd = from_, .events = POLLIN, .revents = 0};
      const int ready = ::poll(&asked, 1, left);
      if (ready < 0 && errno == EINTR) continue;
      if (ready <= 0) return false;
      const ssize_t n = ::read(from_, block, sizeof block);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return text.size() == 1 && text[0] == kDone;
      text.append(block, static_cast<size_t>(n));
      for (size_t line; (line = text.find('\n')) != text.npos; text.erase(0, line + 1)) {
        hear(text.substr(0, line));
        end = seconds_now() + seconds;
      }
    }
  }

 private:
  const pid_t id_;
  const int from_;
};

[[noreturn]] void be_child(const ProcessLimits& limits, const std::function<void(const Hear&)>& f, int to,
                           pid_t parent) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1);
  const int nowhere = ::open("/dev/null", O_RDWR | O_CLOEXEC);
  for (const int file : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) ::dup2(nowhere, file);
  constexpr rlimit kNone{0, 0};
  ::setrlimit(RLIMIT_CORE, &kNone);
  keep_to_memory(limits.bytes);
  f([to](const std::string& line) { write_all(to, line + "\n"); });
  write_all(to, {&kDone, 1});
  ::_exit(0);
}

}  // namespace

bool run_apart(const ProcessLimits& limits, const std::function<void(const Hear& say)>& f, const Hear& hear) {
  int ends[2];
  const pid_t parent = ::getpid();
  if (::pipe2(ends, O_CLOEXEC) != 0) return f(hear), true;
  const pid_t id = ::fork();
  if (id == 0) {
    ::close(ends[0]);
    be_child(limits, f, ends[1], parent);
  }
  ::close(ends[1]);
  if (id < 0) {
    ::close(ends[0]);
    return f(hear), true;
  }
  return Child(id, ends[0]).listen(limits.seconds, hear);
}

}  // namespace glassgrad::practice
