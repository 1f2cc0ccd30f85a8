#include "apps/practice/editor.h"

#include <fmt/core.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "apps/lesson/document_words.h"
#include "apps/lesson/markdown.h"
#include "engine/io/file.h"

namespace glassgrad::practice {
namespace {

constexpr std::string_view kOurs = "#| ";  // begins the lines of the file that are ours

// A temporary folder. The destructor removes it with all files that the editor leaves in it.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string name = (std::filesystem::temp_directory_path() / "glassgrad-XXXXXX").string();
    check_system(::mkdtemp(name.data()) != nullptr, "cannot make a folder: {}");
    path_ = name;
  }
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

const char* editor() {
  for (const char* variable : {"VISUAL", "EDITOR"})
    if (const char* value = std::getenv(variable); value && *value) return value;
  return "vi";
}

// Runs `EDITOR FILE` in a shell and returns its exit status.
int run(const std::string& file) {
  const std::string command = fmt::format("{} \"$0\"", editor());
  const pid_t child = ::fork();
  check_system(child >= 0, "cannot start the editor: {}");
  if (child == 0) {
    ::execl("/bin/sh", "sh", "-c", command.c_str(), file.c_str(), nullptr);
    ::_exit(127);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) check_system(errno == EINTR, "cannot wait for the editor: {}");
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128;
}

}  // namespace

std::optional<std::string> edited(const exercise::Exercise& exercise, const std::string& text) {
  const ScratchFolder folder;
  const std::string path = folder.file(exercise.id + ".py");
  std::string whole = fmt::format("{}{}\n", kOurs, exercise.title);
  for (const std::string& paragraph : exercise.prose)
    whole += fmt::format("{}{}\n", kOurs, learn::plain_words(paragraph));
  for (const std::string& line : exercise.before) whole += fmt::format("{}    {}\n", kOurs, line);
  whole += fmt::format("{}Your lines:\n{}\n", kOurs, text);
  {
    OutputFile file(path);
    file.write(whole.data(), whole.size());
    file.commit();
  }
  const int status = run(path);
  glassgrad::check(status != 127, "the editor {} is not there: set EDITOR to one that is", editor());
  if (status != 0) return {};
  InputFile file(path);
  std::string written(std::min<uint64_t>(file.size(), 1 << 20), '\0');
  file.read(written.data(), written.size());
  std::string answer;
  for (std::string_view rest = written; !rest.empty();) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    const std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!line.starts_with(learn::trimmed(kOurs))) answer.append(line).append("\n");
  }
  return answer;
}

}  // namespace glassgrad::practice
