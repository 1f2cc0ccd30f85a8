// A training from its first step, or from a checkpoint, to its last: what is measured, said and saved on the
// way.
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
  // `best` and `history` are what a resumed run has measured before. Error: the log cannot be written; what
  // WatchFile says.
  Session(const Settings& settings, Trainer& trainer, const RunFolder& folder, Report& report,
          std::optional<double> best, std::vector<Measured> history);

  // All steps. Every eval_every steps, and after the last: the validation loss, a line, a sample, the curve;
  // every checkpoint_every, after the last and when told to stop: last.safetensors; every watch_every, before
  // the first and after the last: a recording. A file that cannot be
  // written in between is a line on stderr. Interrupted: a signal came, and the checkpoint is saved.
  // NotFinite: the files are those of the last good step. Error: the last checkpoint could not be saved.
  void run(const StopFlag& stop);
  const std::vector<Measured>& history() const { return history_; }
  // The steps to come are to be watched, and a table at the end tells where their time went.
  void profile() { profile_.emplace(); }
  // A page of what has been measured and recorded (watch.json, as watch_file.h describes it).
  using MakePage =
      std::function<std::string(const std::vector<Measured>& history, const std::string& watched)>;
  // It is written now, after recordings though not more often than every two seconds, and in the end. Error:
  // it cannot be written.
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
  // Runs it; an Error becomes a line on stderr, once for each `what` until it works again.
  void attempt(const char* what, const std::function<void()>& save);

  const Settings& settings_;
  Trainer& trainer_;
  const RunFolder& folder_;
  Report& report_;
  std::optional<double> best_;
  std::vector<Measured> history_;
  Log log_;
  std::optional<WatchFile> watch_;  // if settings ask for one
  std::optional<Profile> profile_;  // if it was asked for
  struct Page {
    std::string path;
    MakePage make;
    std::chrono::steady_clock::time_point next;  // not to be written before
  };
  std::optional<Page> page_;  // if it was asked for
  std::vector<const char*> in_trouble_;
  std::optional<double> validation_loss_;  // the newest
  std::optional<int64_t> saved_;           // the step of last.safetensors
  double tokens_per_second_ = 0;           // of the last few steps
};

}  // namespace glassgrad::train
