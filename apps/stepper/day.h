// Days, for questions that are asked again after some days.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace glassgrad::learn {

using Day = std::chrono::sys_days;

// Returns the date of the system's clock in its time zone, or, for tests, the date in GLASSGRAD_TODAY. Throws
// UsageError if that is no date.
Day today();
std::string text_of(Day day);                      // "2026-11-25"
std::optional<Day> day_of(std::string_view text);  // none if it is no day of this form

}  // namespace glassgrad::learn
