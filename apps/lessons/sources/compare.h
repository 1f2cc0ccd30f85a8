// The parts of the lesson compare, a topic or two each.
#pragma once
#include "apps/lesson/lesson.h"

namespace glassgrad::learn::compare_parts {

// Five classes with one set of weights.
void one_computation(Narrator& lesson, const Settings& settings);
// Who has a bias, and who a last projection.
void biases(Narrator& lesson, const Settings& settings);
// How weights are laid out, drawn, and in which order.
void drawing(Narrator& lesson, const Settings& settings);
// How the future is marked, and how the scores are filled.
void masks(Narrator& lesson, const Settings& settings);
// Scale before or after the mask, once or twice.
void scaling(Narrator& lesson, const Settings& settings);
// Defaults and the order of arguments.
void calls(Narrator& lesson, const Settings& settings);
// What attention weights means, and how many numbers GPT-2's size takes.
void words_and_sizes(Narrator& lesson, const Settings& settings);

}  // namespace glassgrad::learn::compare_parts
