// What a training has measured so far: log.jsonl, one line per step, and the curve drawn from it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/core/types.h"

namespace glassgrad::train {

struct Measured {
  int64_t step;
  double loss, lr, gradient_norm, tokens_per_second;
  std::optional<double> validation_loss;  // where one was computed after the step
};

// The lines of log.jsonl whose step is at most last_step; a line that a kill has cut off is left out,
// and one of more than a megabyte. Error: the file cannot be read, or has more than kMaxText bytes.
std::vector<Measured> read_log(const std::string& path, int64_t last_step);

// log.jsonl, opened for adding lines. It begins with those of `kept`; the rest of an older file is gone.
class Log {
 public:
  // Error: the file cannot be written.
  Log(const std::string& path, const std::vector<Measured>& kept);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Adds one line whole or not at all. Error: the disk is full or the like.
  void add(const Measured& measured);

 private:
  std::string path_;
  int fd_;
};

// An image of training and validation loss over the steps, readable on a white and on a black page.
std::string loss_curve(const std::vector<Measured>& history);
// How far from its left edge a step stands in that image.
double place_in_curve(const std::vector<Measured>& history, int64_t step);

}  // namespace glassgrad::train
