// The output of a running training: lines on stdout, a progress bar and warnings on stderr.
#pragma once
#include <exception>
#include <string_view>

#include "apps/cli/output.h"
#include "apps/train/progress_bar.h"

namespace glassgrad::train {

class Report {
 public:
  explicit Report(Output& out) : out_(out) {}

  // Writes a whole line and flushes it. If stdout's reader is gone or its disk is full, training continues
  // and stdout gets no more lines.
  void line(std::string_view text);
  // Writes to stderr.
  void warn(std::string_view text);
  void progress(const Progress& progress) { bar_.show(progress); }
  // Throws the Error that stopped stdout, unless its reader was gone.
  void finish();

 private:
  Output& out_;
  ProgressBar bar_;
  bool closed_ = false;
  std::exception_ptr trouble_;
};

}  // namespace glassgrad::train
