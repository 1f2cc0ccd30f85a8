// What a training says while it runs: lines on stdout, a bar and warnings on stderr.
#pragma once
#include <exception>
#include <string_view>

#include "apps/cli/output.h"
#include "apps/train/progress_bar.h"

namespace glassgrad::train {

class Report {
 public:
  explicit Report(Output& out) : out_(out) {}

  // A whole line, at once. A reader that goes, or a full disk behind stdout, takes nothing away from the
  // training: from then on nothing is said there.
  void line(std::string_view text);
  // On stderr.
  void warn(std::string_view text);
  void progress(const Progress& progress) { bar_.show(progress); }
  // Error: what stopped stdout, if it was not that its reader has gone.
  void finish();

 private:
  Output& out_;
  ProgressBar bar_;
  bool closed_ = false;
  std::exception_ptr trouble_;
};

}  // namespace glassgrad::train
