#include "apps/prove/bench/own_process.h"

#include <fcntl.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

#include "apps/prove/bench/memory.h"
#include "engine/core/error.h"

namespace glassgrad::bench {
namespace {

// traced: if tracing is allowed, the child stops as soon as the new program begins.
pid_t start_program(const std::vector<std::string>& arguments, bool traced) {
  std::vector<char*> words = {const_cast<char*>("glassgrad")};
  for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  const int nowhere = ::open("/dev/null", O_WRONLY | O_CLOEXEC);
  const pid_t child = fork();
  if (child == 0) {  // only system calls from here on: another thread may have held any lock
    if (traced) ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    dup2(nowhere, STDOUT_FILENO);
    execv("/proc/self/exe", words.data());
    _exit(127);
  }
  close(nowhere);
  check(child > 0, "the program could not be started once more");
  return child;
}

// Waits until the child ends or stops, and returns its status.
int status_of(pid_t child) {
  int status = 0;
  check(waitpid(child, &status, 0) == child, "the program could not be run once more");
  return status;
}

void check_success(int status) {
  check(WIFEXITED(status) && WEXITSTATUS(status) == 0, "the program could not be run once more");
}

}  // namespace

void run_program(const std::vector<std::string>& arguments) {
  check_success(status_of(start_program(arguments, false)));
}

double peak_bytes_of_program(const std::vector<std::string>& arguments) {
  const pid_t child = start_program(arguments, true);
  double peak = 0;
  bool begun = false;
  int status = status_of(child);
  for (; WIFSTOPPED(status); status = status_of(child)) {
    const bool at_its_end = status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8);
    if (at_its_end) peak = memory_of(child, "VmHWM");
    const bool at_its_start = !std::exchange(begun, true);
    if (at_its_start) ptrace(PTRACE_SETOPTIONS, child, nullptr, long{PTRACE_O_TRACEEXIT});
    ptrace(PTRACE_CONT, child, nullptr, at_its_start || at_its_end ? 0L : long{WSTOPSIG(status)});
  }
  check_success(status);
  check(peak > 0, "the program's memory cannot be measured: it may not be traced here");
  return peak;
}

}  // namespace glassgrad::bench
