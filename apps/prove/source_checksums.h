// Does a run print what the lesson's source prints? Of the sources' texts the program holds nothing but a
// checksum for each step, which no number can be read back from; the texts themselves may be given as files.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "apps/lesson/recording.h"

namespace glassgrad::checking {

// What a step prints in PyTorch: the CRC-32 of its lines, each with its line feed.
struct Checksum {
  const char *lesson, *step;
  uint32_t crc;
};
std::span<const Checksum> checksums();

struct Outcome {
  size_t printed = 0, same = 0;  // values and lines that the source prints
  std::string step;              // the first that prints something else; empty: none does
  std::string theirs, ours;      // the first line of it that differs, if the text is known
};

// A step that prints and has no checksum, or has one and prints nothing, differs.
Outcome compare(const learn::Recording& recording, std::span<const Checksum> known);
// The text is all that the source prints, as `learn LESSON --outputs` gives it. Lines may end in CR LF.
Outcome compare(const learn::Recording& recording, std::string_view text);

}  // namespace glassgrad::checking
