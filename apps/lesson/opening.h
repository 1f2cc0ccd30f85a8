// What attention is the answer to, in numbers: the first steps of a lesson.
#pragma once
#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

// A recurrent network reads the lesson's inputs: its state of fixed size, its fading memory, its gradient as
// a product of Jacobians that vanishes or explodes, its steps that wait for each other; then a decoder's
// weights over an encoder. Leaves the default generator alone.
extern const std::span<const Axes> kOpeningAxes;
void opening(Narrator& lesson, const Settings& settings, const char* section);

}  // namespace glassgrad::learn
