#include "apps/stepper/turns.h"

#include <fmt/format.h>

#include "apps/lesson/markdown.h"

namespace glassgrad::learn {

std::vector<Line> turns_page(const Navigator& navigator) {
  const std::vector<const Step*> all = navigator.turns();
  if (all.empty()) return {};
  const Step& here = navigator.step();
  std::vector<Line> lines{
      {{fmt::format("Turns of line {} of {}. ] and [ go to the next and the one before, g and a number or an",
                    here.line, here.file)}},
      {{"id to any."}},
      {}};
  for (const Step* s : all)
    lines.push_back({{s == &here ? "> " : "  ", Style::Bold},
                     {fmt::format("{:>6}  {:<20}  {}", s->number, s->id,
                                  fmt::join(plain_words(s->said_before()), " "))}});
  return lines;
}

}  // namespace glassgrad::learn
