#include "apps/prove/source_checksums.h"

#include <algorithm>

#include "engine/io/crc32.h"

namespace glassgrad::checking {
namespace {

using learn::Recording, learn::Step;

constexpr StepChecksum kChecksums[] = {
#define PRINTED(lesson, step, crc) {lesson, step, crc},
#include "apps/prove/source_checksums.def"
#undef PRINTED
};

struct Printed {
  std::string text;
  size_t values = 0;
};
Printed printed_in(const Step& step) {
  Printed printed;
  for (const learn::Entry& entry : step.entries) {
    if (!entry.printed) continue;
    printed.text += entry.print_text() + "\n";
    ++printed.values;
  }
  return printed;
}

uint32_t crc_of(std::string_view text) {
  Crc32 crc;
  crc.add(text.data(), text.size());
  return crc.value();
}

// Removes the first line from `text` and returns it without its line ending.
std::string_view take_line(std::string_view& text) {
  const size_t end = std::min(text.find('\n'), text.size());
  std::string_view line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  if (line.ends_with('\r')) line.remove_suffix(1);
  return line;
}

}  // namespace

std::span<const StepChecksum> checksums() { return kChecksums; }

ChecksumResult compare(const Recording& recording, std::span<const StepChecksum> known) {
  ChecksumResult result;
  for (const Step& step : recording.steps) {
    const auto found =
        std::find_if(known.begin(), known.end(), [&](const StepChecksum& c) { return step.id == c.step; });
    const Printed printed = printed_in(step);
    if (printed.values == 0 && found == known.end()) continue;
    result.printed += printed.values;
    if (found != known.end() && crc_of(printed.text) == found->crc)
      result.same += printed.values;
    else if (result.step.empty())
      result.step = step.id;
  }
  return result;
}

ChecksumResult compare(const Recording& recording, std::string_view text) {
  ChecksumResult result;
  const auto differs = [&](const std::string& step, std::string_view theirs, std::string_view ours) {
    if (result.step.empty()) result.step = step, result.theirs = theirs, result.ours = ours;
  };
  std::string last = recording.steps.front().id;
  for (const Step& step : recording.steps)
    for (const learn::Entry& entry : step.entries) {
      if (!entry.printed) continue;
      last = step.id;
      bool same = true;
      const std::string printed = entry.print_text() + "\n";
      for (std::string_view ours = printed; !ours.empty();) {
        const std::string_view our_line = take_line(ours), their_line = take_line(text);
        if (our_line == their_line) continue;
        same = false;
        differs(step.id, their_line, our_line);
      }
      ++result.printed;
      result.same += same;
    }
  if (!text.empty()) differs(last, take_line(text), "");
  return result;
}

}  // namespace glassgrad::checking
