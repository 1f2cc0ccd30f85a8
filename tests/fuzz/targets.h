// The targets of the fuzzers, which tests/growth runs too. One program holds all targets; the environment
// variable TARGET chooses one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/arguments.h"
#include "engine/core/error.h"

namespace fuzzing {

struct Target {
  const char* name;               // also the name of its folder in tests/fuzz/corpus
  void (*run)(std::string_view);  // must return for any bytes; documented errors are not failures
};

// The targets by subject; main.cpp joins them.
std::vector<Target> file_targets();
std::vector<Target> text_targets();
std::vector<Target> program_targets();
std::vector<Target> lesson_targets();
// A watch.json without recordings that the target "watch" takes.
std::string empty_watch_file();

// Ends the fuzzing and keeps the input if `holds` is false.
void require(bool holds, const char* what);

// Prints what happened to an input to stderr, if SHOW is set.
void show(const char* what);

// Calls f, which may throw the errors meant for people: Error and UsageError.
template <class F>
void with_kind_errors(F&& f) {
  try {
    f();
    show("accepted");
  } catch (const glassgrad::Error& e) {
    show(e.what());
  } catch (const glassgrad::UsageError& e) {
    show(e.what());
  }
}

// A regular file with these bytes, in memory only.
class FileOf {
 public:
  explicit FileOf(std::string_view bytes);
  ~FileOf();
  FileOf(const FileOf&) = delete;
  FileOf& operator=(const FileOf&) = delete;
  const std::string& path() const { return path_; }

 private:
  int fd_;
  std::string path_;
};

// Splits the input at its zero bytes into n parts, of which the last holds the rest.
std::vector<std::string_view> parts(std::string_view bytes, size_t n);

}  // namespace fuzzing
