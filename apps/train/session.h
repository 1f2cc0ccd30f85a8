// Runs a training from its first step, or from a checkpoint, to its last, and measures, reports and saves on
// the way.
#pragma once
#include <chrono>
#include <functional>
#include <optional>
#include <vector>

#include "apps/train/profile.h"
#include "apps/train/report.h"
#include "apps/train/run_folder.h"
#include "apps/train/stop_flag.h"
#include "apps/train/trainer.h"
#include "apps/train/watch_file.h"

namespace glassgrad::train {

class Session {
 public:
  // `best` and `history` are the earlier measurements of a resumed run. Throws Error if the log cannot be
  // written, and what WatchFile throws.
  Session(const Settings& settings, Trainer& trainer, const RunFolder& folder, Report& report,
          std::optional<double> best, std::vector<Measured> history);

  // Runs all steps. Every eval_every steps and after the last: the validation loss, a line, a sample, the
  // curve. Every checkpoint_every, after the last and when told to stop: last.safetensors. Every watch_every,
  // before the first and after the last: a recording. A file that cannot be written in between is a warning
  // on stderr. Throws Interrupted after a signal, with the checkpoint saved; NotFinite, with the files of the
  // last good step; Error if the last checkpoint could not be saved.
  void run(const StopFlag& stop);
  const std::vector<Measured>& history() const { return history_; }
  // Profiles the coming steps; run() ends with a table of where their time went.
  void profile() { profile_.emplace(); }
  // Makes a page from what has been measured and recorded (watch.json, described in watch_file.h).
  using MakePage =
      std::function<std::string(const std::vector<Measured>& history, const std::string& watched)>;
  // Writes the page now, after recordings (at most every two seconds), and at the end. Throws Error if it
  // cannot be written.
  void keep_page(std::string path, MakePage make);

 private:
  void make_steps(const StopFlag& stop);
  Measured step();
  void evaluate(Measured& measured);
  void watch(const std::optional<Measured>& last);
  void write_page();
  void save_last();
  void stop_with(int signal);
  void show(const Measured& measured);
  // Runs `save`; an Error becomes a warning on stderr, once per `what` until it succeeds again.
  void attempt(const char* what, const std::function<void()>& save);

  const Settings& settings_;
  Trainer& trainer_;
  const RunFolder& folder_;
  Report& report_;
  std::optional<double> best_;
  std::vector<Measured> history_;
  Log log_;
  std::optional<WatchFile> watch_;  // if settings.watch_every is set
  std::optional<Profile> profile_;  // set by profile()
  struct Page {
    std::string path;
    MakePage make;
    std::chrono::steady_clock::time_point next;  // earliest time of the next write
  };
  std::optional<Page> page_;  // set by keep_page()
  std::vector<const char*> in_trouble_;
  std::optional<double> validation_loss_;  // the newest
  std::optional<int64_t> saved_;           // the step of last.safetensors
  double tokens_per_second_ = 0;           // average over the last few steps
};

}  // namespace glassgrad::train
