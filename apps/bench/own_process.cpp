#include "apps/bench/own_process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "engine/error.h"

namespace glassgrad::bench {

double run_program(const std::vector<std::string>& arguments) {
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
  int status = 0;
  rusage usage{};
  const bool ended = refused == 0 && wait4(child, &status, 0, &usage) == child;
  check(ended && WIFEXITED(status) && WEXITSTATUS(status) == 0, "the program could not be run once more");
  return double(usage.ru_maxrss) * 1024;
}

}  // namespace glassgrad::bench
