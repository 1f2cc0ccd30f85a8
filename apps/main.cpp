// Arguments in, exit code out: 0 done, 1 a file or the run went wrong, 2 the command line is wrong, 128 + n
// stopped by signal n. Results go to stdout, one line about what went wrong to stderr.
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <new>
#include <span>
#include <vector>

#include "apps/cli/arguments.h"
#include "apps/cli/complain.h"
#include "apps/cli/output.h"
#include "apps/commands/program.h"
#include "apps/terminal/signals.h"
#include "engine/core/error.h"

namespace glassgrad {
namespace {

constexpr int kFailed = 1, kUsage = 2;

// Where stdin, stdout or stderr is closed, the next file that is opened would be taken for it. What stands
// there instead can only be used the other way round: reading or writing fails as before.
void open_standard_streams() {
  for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (::fcntl(fd, F_GETFD) < 0 && ::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) != fd)
      std::_Exit(kFailed);
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
  const std::span<const char* const> arguments(argv, static_cast<size_t>(argc));
  const auto report = [&](int code, std::string_view text) {
    complain(text, arguments);
    return code;
  };
  end_on_signals();
  keep_spare_memory();
  std::signal(SIGPIPE, SIG_IGN);  // a reader that goes is seen where we write
  std::signal(SIGXFSZ, SIG_IGN);  // so is a file that may not grow any more
  try {
    Output out(STDOUT_FILENO);
    run_program({argv + 1, argv + std::max(argc, 1)}, out);
    out.flush();
    return 0;
  } catch (const OutputClosed&) {
    return 0;
  } catch (const Interrupted& stopped) {
    return 128 + stopped.signal;
  } catch (const Elsewhere& e) {
    report(kUsage, e.what());
    complain_further(e.lines);
    return kUsage;
  } catch (const UsageError& e) {
    return report(kUsage, e.what());
  } catch (const Error& e) {
    return report(kFailed, e.what());
  } catch (const std::exception& e) {
    return report(kFailed, told(e));
  }
}
