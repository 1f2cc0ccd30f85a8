// Days, for what is asked again after some of them.
#pragma once
#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace glassgrad::learn {

using Day = std::chrono::sys_days;

// Of the system's clock and its time zone, or, for tests, what GLASSGRAD_TODAY says. UsageError: that is no
// day.
Day today();
std::string text_of(Day day);                      // "2026-11-25"
std::optional<Day> day_of(std::string_view text);  // none: it is no day of this form

}  // namespace glassgrad::learn
