#include <fmt/core.h>

#include "apps/lesson/difference.h"
#include "apps/show/render.h"

namespace glassgrad::learn {

void render_outputs(Steps steps, Output& out) {
  for (const Step& step : steps)
    if (!step.outputs.empty())
      out.write(step.outputs);
    else
      for (const Entry& entry : step.entries)
        if (entry.printed) out.write(entry.print_text() + "\n");
}

namespace {

void render_block(const Step& step, std::span<const Entry> block, Output& out) {
  std::string header = "#";
  for (const Entry& entry : block)
    if (!entry.name.empty()) header += fmt::format(" {}:{}", step.id, entry.name);
  if (header == "#") header += fmt::format(" {}", step.id);
  out.write(header + "\n");
  for (const Entry& entry : block) {
    out.write(entry.print_text() + "\n");
    if (entry.changed) out.write(fmt::format("# changed: {}\n", difference_text(entry)));
  }
  out.write("\n");
}

}  // namespace

void render_plain(const Recording& recording, Steps steps, Output& out) {
  for (const Step& step : steps) {
    const std::span<const Entry> entries(step.entries);
    for (size_t first = 0, end; first < entries.size(); first = end) {
      end = first + 1;
      while (entries[first].printed && end < entries.size() && entries[end].printed) ++end;
      render_block(step, entries.subspan(first, end - first), out);
    }
  }
  for (const std::string& sentence : differences_text(recording)) out.write(fmt::format("# {}\n", sentence));
}

}  // namespace glassgrad::learn
