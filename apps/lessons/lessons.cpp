// The lessons that there are, in the order in which they are listed.
#include "apps/lesson/lesson.h"
#include "apps/lessons/cat/cat.h"
#include "apps/lessons/climb/climb.h"
#include "apps/lessons/gpt_attention/gpt_attention.h"
#include "apps/lessons/journey/journey.h"
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
  return all;
}

}  // namespace glassgrad::learn
