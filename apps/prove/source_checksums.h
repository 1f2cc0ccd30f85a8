// Compares the output of a run with the output of the lesson's source. The program contains only a checksum
// for each step of a source, from which no number can be recovered. The full texts can be given as files.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "apps/lesson/recording.h"

namespace glassgrad::checking {

// The CRC-32 of the lines that a step prints in PyTorch, each with its line feed.
struct StepChecksum {
  const char *lesson, *step;
  uint32_t crc;
};
std::span<const StepChecksum> checksums();

struct ChecksumResult {
  size_t printed = 0, same = 0;  // printed values, and those that agree
  std::string step;              // the first step that differs; empty: none
  std::string theirs, ours;      // its first line that differs, if the text is known
};

// A step also differs if it prints but has no checksum, or has a checksum but prints nothing.
ChecksumResult compare(const learn::Recording& recording, std::span<const StepChecksum> known);
// `text` is the whole output of the source, in the form of `learn LESSON --outputs`. Lines may end in CR LF.
ChecksumResult compare(const learn::Recording& recording, std::string_view text);

}  // namespace glassgrad::checking
