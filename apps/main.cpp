// Arguments in, exit code out. Results go to stdout, one line about an error to stderr.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>

#include "apps/commands/program.h"
#include "apps/terminal/exit_code.h"
#include "apps/terminal/signals.h"

namespace glassgrad {
namespace {

// If stdin, stdout or stderr is closed, the next file that is opened would take its number. Opens /dev/null
// there in the wrong direction instead, so that reading or writing still fails.
void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      std::_Exit(1);
}

// When memory runs out, the unwinding destroys values, and nlohmann's JSON allocates memory to destroy a
// value: these bytes are freed to make that possible.
constexpr size_t kSpareBytes = size_t(8) << 20;
std::atomic<void*> spare_memory = nullptr;  // never touched, so it takes no physical memory

void keep_spare_memory() {
  spare_memory = std::malloc(kSpareBytes);
  std::set_new_handler([] {
    std::free(spare_memory.exchange(nullptr));
    throw std::bad_alloc();
  });
}

}  // namespace
}  // namespace glassgrad

int main(int argc, char** argv) {
  using namespace glassgrad;
  open_standard_streams();
  end_on_signals();
  keep_spare_memory();
  std::signal(SIGPIPE, SIG_IGN);  // a failed write reports a reader that has gone
  std::signal(SIGXFSZ, SIG_IGN);  // and a file that must not grow any more
  return exit_code_of(
      [&](Output& out) {
        run_program({argv + 1, argv + std::max(argc, 1)}, out);
      },
      {argv, static_cast<size_t>(argc)});
}
