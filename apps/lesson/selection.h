// Steps of a recording, and what names them: STEP in an address, a step's id, its number, or the section of
// the source.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

using Steps = std::span<const Step>;

// What one types to have the recording again: "glassgrad learn journey --seed 7". more: further flags,
// " --list".
std::string command_of(const Recording& recording, std::string_view more = {});
// "section 3.5.1", or the name of a part without a number, and what comes between it and the next word; ""
// for a step without one.
std::string section_text(const Step& step, std::string_view after);
// Where the chapters have the step, or the one that a backward step is about:
// "docs/journey.md#masked-scores". Of a lesson without a chapter, the command that shows it.
std::string anchor(const Recording& recording, const Step& step);

// The steps that STEP names: one, by its address or an older one, or all of a section and its subsections.
// UsageError: none; it says which comes nearest, or in which lesson the step is now.
Steps find_steps(const Recording& recording, std::string_view step);
// UsageError: the step of the address STEP:TENSOR[i,j] is in another lesson now.
void check_not_moved(const Recording& recording, std::string_view address);

// From the first step of `from` to the last of `to`; without them, from the beginning or to the end.
// UsageError: no such step, or the end comes before the beginning.
Steps select_steps(const Recording& recording, const std::optional<std::string>& from,
                   const std::optional<std::string>& to);

}  // namespace glassgrad::learn
