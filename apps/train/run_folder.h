// The folder of one training: last.safetensors, best.safetensors, log.jsonl, loss.svg and, if it is watched,
// watch.json.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace glassgrad::train {

// Returns the runs/N with a checkpoint and the highest N, or nothing.
std::optional<std::string> newest_run();
// Returns the given path, or the newest run, which it names on stderr. Throws UsageError with the command's
// usage if there is no run.
std::string run_or_newest(const std::optional<std::string>& path, std::string_view usage);

class RunFolder {
 public:
  enum class Mode {
    Fresh,   // refuses a folder that holds a run
    Force,   // replaces a run that is there
    Resume,  // requires a run
  };

  // Opens or makes the folder and locks it while the object lives. An empty path means a new runs/N with the
  // lowest free N; with Resume, the runs/N with a checkpoint and the highest N. Throws Errors: not a folder,
  // not writable, holds a run or holds none, in use by another training.
  RunFolder(std::string path, Mode mode);
  ~RunFolder();
  RunFolder(const RunFolder&) = delete;
  RunFolder& operator=(const RunFolder&) = delete;

  const std::string& path() const { return path_; }
  std::string last() const { return path_ + "/last.safetensors"; }
  std::string best() const { return path_ + "/best.safetensors"; }
  std::string log() const { return path_ + "/log.jsonl"; }
  std::string curve() const { return path_ + "/loss.svg"; }
  std::string watch() const { return path_ + "/watch.json"; }
  bool holds_a_run() const;
  // Removes the files of the previous run. Throws Error if one of them cannot be removed.
  void remove_run() const;

 private:
  void make();
  void lock();
  void remove_leftovers() const;

  std::string path_;
  bool made_ = false;  // we made it: removed again if it stays empty
  int fd_ = -1;
};

}  // namespace glassgrad::train
