#include "apps/prove/bench/own_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/prove/bench/memory.h"
#include "engine/core/error.h"

namespace glassgrad::bench {
namespace {

pid_t start_program(const std::vector<std::string>& arguments) {
  constexpr const char* kSelf = "/proc/self/exe";
  std::vector<char*> words = {const_cast<char*>("glassgrad")};
  for (const std::string& a : arguments) words.push_back(const_cast<char*>(a.c_str()));
  words.push_back(nullptr);
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t child = 0;
  const int refused = posix_spawn(&child, kSelf, &files, nullptr, words.data(), environ);
  posix_spawn_file_actions_destroy(&files);
  check(refused == 0, "the program could not be started once more");
  return child;
}

// The next that is to be told of the child: that it has ended, or has stopped.
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
  check_success(status_of(start_program(arguments)));
}

double peak_bytes_of_program(const std::vector<std::string>& arguments) {
  const pid_t child = start_program(arguments);
  const bool traced = ptrace(PTRACE_SEIZE, child, nullptr, long{PTRACE_O_TRACEEXIT}) == 0;
  double peak = 0;
  int status = status_of(child);
  for (; WIFSTOPPED(status); status = status_of(child)) {
    const bool at_its_end = status >> 8 == (SIGTRAP | PTRACE_EVENT_EXIT << 8);
    if (at_its_end) peak = memory_of(child, "VmHWM");
    ptrace(PTRACE_CONT, child, nullptr, at_its_end ? 0L : long{WSTOPSIG(status)});
  }
  check_success(status);
  check(traced && peak > 0, "the program's memory cannot be measured: it may not be traced here");
  return peak;
}

}  // namespace glassgrad::bench
