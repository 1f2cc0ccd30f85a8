#include "apps/cli/pager.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

extern char** environ;

namespace glassgrad {
namespace {

constexpr const char* kUsual = "if command -v less >/dev/null; then exec less; else exec cat; fi";

// Starts the command in a shell that reads `input`. Returns nothing if the system has no process or no shell.
std::optional<pid_t> start(const char* command, int input) {
  posix_spawn_file_actions_t files;
  posix_spawn_file_actions_init(&files);
  posix_spawn_file_actions_adddup2(&files, input, STDIN_FILENO);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t usual;
  sigemptyset(&usual);
  sigaddset(&usual, SIGPIPE);  // our process ignores it
  posix_spawnattr_setsigdefault(&attributes, &usual);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  std::string name = "sh", option = "-c", text = command;
  char* arguments[] = {name.data(), option.data(), text.data(), nullptr};
  pid_t pid = 0;
  const int refused = posix_spawn(&pid, "/bin/sh", &files, &attributes, arguments, environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&files);
  if (refused != 0) return {};
  return pid;
}

int wait_for(pid_t pid) {
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  return status;
}

// Returns whether the pager succeeded, or ended by a signal that people use to end a program.
bool is_done(int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return true;
  const int signal = WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status) - 128;
  return signal == SIGINT || signal == SIGTERM || signal == SIGHUP || signal == SIGPIPE;
}

bool page(const char* command, const std::function<void(Output&)>& write) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0) return false;
  const std::optional<pid_t> pager = start(command, ends[0]);
  ::close(ends[0]);
  if (!pager) {
    ::close(ends[1]);
    return false;
  }
  const auto interrupted = std::signal(SIGINT, SIG_IGN);  // Ctrl-C is for the pager now
  try {
    Output out(ends[1], Output::Kind::Shown);
    write(out);
    out.flush();
  } catch (const OutputClosed&) {  // the pager ended early; its status says whether people quit it
  }
  ::close(ends[1]);
  const int status = wait_for(*pager);
  std::signal(SIGINT, interrupted);
  return is_done(status);
}

}  // namespace

void through_pager(const std::function<void(Output&)>& write, Output& out) {
  const char* terminal = std::getenv("TERM");
  const char* pager = std::getenv("PAGER");
  const bool wanted = terminal && std::string_view(terminal) != "dumb" && !(pager && *pager == 0);
  if (wanted && out.is_terminal()) {
    ::setenv("LESS", "FR", 0);  // less ends at once if the text fits on the screen
    if (page(pager ? pager : kUsual, write)) return;
  }
  write(out);
}

}  // namespace glassgrad
