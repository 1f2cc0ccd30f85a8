// Selects steps of a recording by their names: STEP in an address, a step's id, its number, or the section of
// the source.
#pragma once
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "apps/lesson/lesson.h"

namespace glassgrad::learn {

using Steps = std::span<const Step>;

// Returns the command that makes the recording again: "glassgrad learn journey --seed 7". more: further
// flags, " --list".
std::string command_of(const Recording& recording, std::string_view more = {});
// Returns "section 3.5.1", or the name of a part without a number, followed by `after`; "" for a step without
// a section.
std::string section_text(const Step& step, std::string_view after);
// Returns the chapter's anchor for the step or, for a backward step, for the step that it is about:
// "docs/journey.md#masked-scores". For a lesson without a chapter, returns the command that shows the step.
std::string anchor(const Recording& recording, const Step& step);

// Returns the steps that STEP names: one step, by its address or an older one, or all of a section and its
// subsections. Throws UsageError if there is none; the message says which step is nearest, or in which lesson
// the step is now.
Steps find_steps(const Recording& recording, std::string_view step);
// Throws UsageError if the step of the address STEP:TENSOR[i,j] is in a different lesson now.
void check_not_moved(const Recording& recording, std::string_view address);

// Returns the steps from the first of `from` to the last of `to`; without these, from the beginning or to the
// end. Throws UsageError if there is no such step, or the last comes before the first.
Steps select_steps(const Recording& recording, const std::optional<std::string>& from,
                   const std::optional<std::string>& to);

}  // namespace glassgrad::learn
