// How far a training is, in one line of a terminal that is drawn again and again.
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

// "[=====>    ]  60/600  loss 1.2345  …": what fits into so many columns; the least important goes first.
std::string progress_line(const Progress& progress, size_t columns);

// On stderr, and only if that is a terminal that can clear a line; elsewhere all of it does nothing.
class ProgressBar {
 public:
  ProgressBar();
  ~ProgressBar() { clear(); }
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  bool is_on() const { return on_; }
  // Draws ten times a second at most.
  void show(const Progress& progress);
  // Makes room for other lines; the next show() draws again.
  void clear();

 private:
  bool on_;
  bool drawn_ = false;
  std::chrono::steady_clock::time_point last_{};
};

}  // namespace glassgrad::train
