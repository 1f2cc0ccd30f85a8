// Short lessons, a question each: they begin with it and end with what to remember.
#pragma once
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

extern const Lesson autograd_order, autograd_accumulate, autograd_broadcast, autograd_matmul,
    autograd_softmax;
extern const Lesson mask_five_ways, scale_why, dropout_factor, heads_same;

}  // namespace glassgrad::learn
