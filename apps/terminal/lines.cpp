#include "apps/terminal/lines.h"

#include <algorithm>

namespace glassgrad {

void Lines::push_back(Line line) {
  if (parts_.empty() || parts_.back().make) parts_.push_back({size_, 0, {}, nullptr});
  parts_.back().lines.push_back(std::move(line));
  ++parts_.back().count;
  ++size_;
}

void Lines::append(std::vector<Line> lines) {
  for (Line& line : lines) push_back(std::move(line));
}

void Lines::append(size_t count, std::function<Line(size_t)> make) {
  if (count == 0) return;
  parts_.push_back({size_, count, {}, std::move(make)});
  size_ += count;
}

void Lines::append(const Lines& others) {
  for (const Part& part : others.parts_) part.make ? append(part.count, part.make) : append(part.lines);
}

Line Lines::operator[](size_t i) const {
  const auto after = std::upper_bound(parts_.begin(), parts_.end(), i,
                                      [](size_t at, const Part& part) { return at < part.first; });
  const Part& part = *std::prev(after);
  return part.make ? part.make(i - part.first) : part.lines[i - part.first];
}

std::optional<size_t> Lines::find(const std::function<bool(const Line&)>& is_it) const {
  for (const Part& part : parts_)
    for (size_t i = 0; i < part.lines.size(); ++i)
      if (is_it(part.lines[i])) return part.first + i;
  return {};
}

}  // namespace glassgrad
