// Shows the progress of a training in one line of a terminal that is redrawn.
#pragma once
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace glassgrad::train {

struct Progress {
  int64_t step, steps;
  double loss;
  std::optional<double> validation_loss;
  double lr, gradient_norm, tokens_per_second, seconds_left;
};

// "0:07", "12:00", "3:05:00", "2 days".
std::string duration(double seconds);

// "[=====>    ]  60/600  loss 1.2345  …", at most `columns` wide; the least important fields are dropped
// first.
std::string progress_line(const Progress& progress, size_t columns);

// Draws on stderr, only if it is a terminal that can clear a line; otherwise it does nothing.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool is_on() const { return on_; }
  // Draws at most ten times a second.
  void show(const Progress& progress);
  // Clears the line for other output; the next show() draws again.
  void clear();

 private:
  bool on_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace glassgrad::train
