// STEP in an address: a step's id, its number, or the section of the source.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "apps/learn/render.h"

namespace glassgrad::learn {

// The steps that STEP names: one, or all of a section and its subsections. UsageError: none; it says which
// comes nearest.
Steps find_steps(const Recording& recording, std::string_view step);

// From the first step of `from` to the last of `to`; without them, from the beginning or to the end.
// UsageError: no such step, or the end comes before the beginning.
Steps select_steps(const Recording& recording, const std::optional<std::string>& from,
                   const std::optional<std::string>& to);

}  // namespace glassgrad::learn
