// The folder of one training: last.safetensors, best.safetensors, log.jsonl, loss.svg and, if it is watched,
// watch.json.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace glassgrad::train {

// The runs/N with a checkpoint and the highest N; nothing where there is none.
std::optional<std::string> newest_run();
// The path that was given, or the newest run, which a line on stderr names. UsageError: there is none; it
// says how the command is used.
std::string run_or_newest(const std::optional<std::string>& path, std::string_view usage);

class RunFolder {
 public:
  enum class Mode {
    Fresh,   // refuses a folder that holds a run
    Force,   // a run that is there will be replaced
    Resume,  // a run must be there
  };

  // The folder, made if need be, locked until the end of the object. An empty path means a new runs/N with
  // the lowest free N; with Resume, the runs/N with a checkpoint and the highest N. Errors: not a folder, not
  // writable, holds a run or holds none, another training is at work in it.
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
  // The files of the run that was here. Error: one of them cannot be removed.
  void remove_run() const;

 private:
  void make();
  void lock();
  void remove_leftovers() const;

  std::string path_;
  bool made_ = false;  // by us: goes again if it stays empty
  int fd_ = -1;
};

}  // namespace glassgrad::train
