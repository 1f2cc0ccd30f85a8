// What the fuzzers drive, and tests/growth. One program holds all targets; the environment variable TARGET
// chooses one.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "apps/cli/arguments.h"
#include "engine/core/error.h"

namespace fuzzing {

struct Target {
  const char* name;               // of the folder in tests/fuzz/corpus, too
  void (*run)(std::string_view);  // must return for any bytes; errors that the engine promises are none
};

// By what they are about; main.cpp puts them together.
std::vector<Target> file_targets();
std::vector<Target> text_targets();
std::vector<Target> program_targets();
std::vector<Target> lesson_targets();
// A watch.json without recordings that the target "watch" takes.
std::string empty_watch_file();

// Ends the fuzzing with the input kept: something that always holds did not.
void require(bool holds, const char* what);

// With SHOW in the environment: what became of an input, on stderr.
void show(const char* what);

// Calls f, which may throw the errors that are made for people: Error and UsageError.
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

// A regular file without a name on any disk, which holds these bytes.
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

// The input cut at its zero bytes: always so many parts, the last with the rest.
std::vector<std::string_view> parts(std::string_view bytes, size_t n);

}  // namespace fuzzing
