// Arguments in, exit code out. Results go to stdout, one line about what went wrong to stderr.
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

// Where stdin, stdout or stderr is closed, the next file that is opened would be taken for it. What stands
// there instead can only be used the other way round: reading or writing fails as before.
void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      std::_Exit(1);
}

// When no memory is left, what has been made so far is destroyed, and nlohmann's JSON takes memory for that:
// it finds this much.
constexpr size_t kSpareBytes = size_t(8) << 20;
std::atomic<void*> spare_memory = nullptr;  // never touched, so it takes no room until it is given back

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
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes is seen where we write
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow any more
  return exit_code_of(
      [&](Output& out) {
        run_program({argv + 1, argv + std::max(argc, 1)}, out);
      },
      {argv, static_cast<size_t>(argc)});
}
