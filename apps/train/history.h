// Measurements of a training: log.jsonl, one line per step, and the curve drawn from it.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "engine/core/types.h"

namespace glassgrad::train {

struct Measured {
  int64_t step;
  double loss, lr, gradient_norm, tokens_per_second;
  std::optional<double> validation_loss;  // only if computed after this step
};

// Reads the lines of log.jsonl up to last_step. Skips lines that a kill has cut off and lines of more than a
// megabyte. Throws Error if the file cannot be read or has more than kMaxText bytes.
std::vector<Measured> read_log(const std::string& path, int64_t last_step);

// log.jsonl, open for appending. Starts with the lines of `kept`; the rest of an older file is dropped.
class Log {
 public:
  // Throws Error if the file cannot be written.
  Log(const std::string& path, const std::vector<Measured>& kept);
  ~Log();
  Log(const Log&) = delete;
  Log& operator=(const Log&) = delete;

  // Adds one line, whole or not at all. Throws Error if the disk is full, for example.
  void add(const Measured& measured);

 private:
  std::string path_;
  int fd_;
};

// An SVG image of training and validation loss over the steps, readable on a white and on a black page.
std::string loss_curve(const std::vector<Measured>& history);
// The x coordinate of a step in that image.
double place_in_curve(const std::vector<Measured>& history, int64_t step);

}  // namespace glassgrad::train
