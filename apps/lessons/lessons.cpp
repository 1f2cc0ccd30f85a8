// The lessons that there are, in the order in which they are listed.
#include <cstdlib>
#include <deque>

#include "apps/lesson/program.h"
#include "apps/lessons/cat/cat.h"
#include "apps/lessons/climb/climb.h"
#include "apps/lessons/gpt_attention/gpt_attention.h"
#include "apps/lessons/journey/journey.h"
#include "apps/lessons/lesson_texts.h"
#include "apps/lessons/questions/questions.h"
#include "apps/lessons/single_and_multi/single_and_multi.h"
#include "apps/lessons/sources/sources.h"

namespace glassgrad::learn {

std::span<const Lesson* const> lessons() {
  static constexpr const Lesson* all[] = {&journey,
                                          &gpt_attention,
                                          &single_and_multi,
                                          &cat,
                                          &climb,
                                          &autograd_order,
                                          &autograd_accumulate,
                                          &autograd_broadcast,
                                          &autograd_matmul,
                                          &autograd_softmax,
                                          &mask_five_ways,
                                          &scale_why,
                                          &dropout_factor,
                                          &heads_same,
                                          &compare,
                                          &errata};
  static std::deque<ProgramLesson> programs;
  static const std::vector<const Lesson*> list = [] {
    std::vector<const Lesson*> made(std::begin(all), std::end(all));
    if (!std::getenv("GG_MD")) return made;
    for (const LessonText& text : lesson_texts()) {
      programs.emplace_back(read_document(text.text, std::string(text.id) + ".md"));
      for (const Lesson*& known : made)
        if (known->id == text.id) known = &programs.back().lesson();
    }
    return made;
  }();
  return list;
}

}  // namespace glassgrad::learn
