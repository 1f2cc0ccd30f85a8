// The command `train`: its flags, and what they make it do.
#pragma once
#include <vector>

#include "apps/command_line.h"
#include "apps/train/checkpoint.h"
#include "apps/train/run_folder.h"

namespace glassgrad::train {

class Command : public Subcommand {
 public:
  explicit Command(CLI::App& program);
  // UsageError; Error; Interrupted, with the checkpoint saved.
  void run(Output& out) const override;

 private:
  Settings new_settings() const;
  void change_source(Settings& settings) const;
  void change_tokenizer(Settings& settings) const;
  void change_rhythm(Settings& settings) const;
  // The checkpoint's, with what may be changed on the way.
  Settings resumed_settings(const Checkpoint& checkpoint, const std::string& path) const;
  void begin(Output& out) const;
  void resume(Output& out) const;
  // With recordings for the page, if one is asked for; the checkpoint is not to know of them.
  Settings with_page(Settings settings) const;
  // Of a run that is finished.
  void write_page(const RunFolder& folder, const Checkpoint& checkpoint, Output& out) const;

  CLI::Option *text_, *tokens_, *tokenizer_, *vocabulary_, *merges_, *validation_;
  CLI::Option *preset_, *layers_, *heads_, *width_, *context_, *dropout_;
  CLI::Option *batch_, *steps_, *lr_, *weight_decay_, *seed_;
  CLI::Option *eval_every_, *checkpoint_every_, *watch_, *threads_, *device_, *matmul_, *out_, *html_;
  std::vector<CLI::Option*> fixed_;  // that a checkpoint decides
  bool resume_ = false, weights_only_ = false, force_ = false, detect_anomaly_ = false, profile_ = false;
};

}  // namespace glassgrad::train
