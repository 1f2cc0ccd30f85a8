#include "apps/train/run_folder.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <vector>

#include "apps/cli/arguments.h"
#include "apps/cli/complain.h"
#include "engine/io/file.h"

namespace glassgrad::train {
namespace {

namespace fs = std::filesystem;
constexpr const char* kRuns = "runs";

bool exists(const std::string& path) {
  std::error_code unknown;
  return fs::exists(path, unknown);
}

void make_parents(const fs::path& path) {
  std::error_code error;
  if (!path.empty()) fs::create_directories(path, error);
  check(!error, "{}: cannot be made: {}; choose another folder with --out", path.string(),
        system_text(error.value()));
}

// mkdir decides which training was first when two start at once.
std::string make_next_run() {
  make_parents(kRuns);
  for (int64_t n = 1;; ++n) {
    std::string path = fmt::format("{}/{}", kRuns, n);
    if (::mkdir(path.c_str(), 0777) == 0) return path;
    check_system(errno == EEXIST, "{}: cannot be made: {}; choose another folder with --out", path);
  }
}

}  // namespace

std::optional<std::string> newest_run() {
  int64_t newest = 0;
  std::error_code end;
  for (fs::directory_iterator entry(kRuns, end), none; !end && entry != none; entry.increment(end)) {
    const auto number = parse_number<int64_t>(entry->path().filename().string());
    if (number && *number > newest && exists((entry->path() / "last.safetensors").string())) newest = *number;
  }
  if (newest == 0) return {};
  return fmt::format("{}/{}", kRuns, newest);
}

std::string run_or_newest(const std::optional<std::string>& path, std::string_view usage) {
  if (path) return *path;
  const auto run = newest_run();
  check<UsageError>(run.has_value(),
                    "which model? There is no run in {}/: `glassgrad train` makes one; or {}", kRuns, usage);
  complain(fmt::format("takes {}, the newest run", *run));
  return *run;
}

RunFolder::RunFolder(std::string path, Mode mode) : path_(std::move(path)) {
  while (path_.size() > 1 && path_.ends_with('/')) path_.pop_back();
  if (mode == Mode::Resume) {
    if (path_.empty()) {
      const auto newest = newest_run();
      check(newest.has_value(), "there is no run in {}/ to go on with; name its folder: --out DIR --resume",
            kRuns);
      path_ = *newest;
    }
    check(exists(path_), "{}: there is no such folder to resume from", path_);
  } else {
    make();
  }
  try {
    lock();
    remove_leftovers();
    if (mode == Mode::Fresh)
      check(!holds_a_run(), "{}: holds a run: --resume goes on with it, --force replaces it", path_);
    if (mode == Mode::Resume)
      check(exists(last()), "{}: holds no last.safetensors to resume from; train without --resume", path_);
  } catch (...) {
    if (fd_ >= 0) ::close(fd_);
    throw;
  }
}

RunFolder::~RunFolder() {
  if (made_) ::rmdir(path_.c_str());  // rmdir fails unless the folder is empty
  ::close(fd_);
}

void RunFolder::make() {
  if (path_.empty()) {
    path_ = make_next_run();
    made_ = true;
    return;
  }
  make_parents(fs::path(path_).parent_path());
  made_ = ::mkdir(path_.c_str(), 0777) == 0;
  check_system(made_ || errno == EEXIST, "{}: cannot be made: {}; choose another folder with --out", path_);
}

void RunFolder::lock() {
  fd_ = ::open(path_.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  check(fd_ >= 0 || errno != ENOTDIR, "{}: is a file, not a folder; choose another one with --out", path_);
  check_system(fd_ >= 0, "{}: {}; choose another folder with --out", path_);
  check(::flock(fd_, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK,
        "{}: another training is at work in this folder; wait for it, or choose another one with --out",
        path_);
  check_system(::access(path_.c_str(), W_OK | X_OK) == 0,
               "{}: cannot be written to: {}; choose another folder with --out", path_);
}

// Removes half-written files of a training that was killed while it saved.
void RunFolder::remove_leftovers() const {
  std::vector<fs::path> leftovers;
  std::error_code end;
  for (fs::directory_iterator entry(path_, end), none; !end && entry != none; entry.increment(end)) {
    const std::string name = entry->path().filename().string();
    for (const char* ours :
         {"last.safetensors.", "best.safetensors.", "log.jsonl.", "loss.svg.", "watch.json."})
      if (name.starts_with(ours) && name.ends_with(".tmp")) leftovers.push_back(entry->path());
  }
  for (const fs::path& file : leftovers) ::unlink(file.c_str());
}

bool RunFolder::holds_a_run() const {
  for (const std::string& file : {last(), best(), log(), curve(), watch()})
    if (exists(file)) return true;
  return false;
}

void RunFolder::remove_run() const {
  for (const std::string& file : {last(), best(), log(), curve(), watch()})
    check_system(::unlink(file.c_str()) == 0 || errno == ENOENT, "{}: cannot be removed: {}", file);
}

}  // namespace glassgrad::train
