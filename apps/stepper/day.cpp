#include "apps/stepper/day.h"

#include <fmt/core.h>

#include <cstdlib>
#include <ctime>

#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "engine/core/error.h"

namespace glassgrad::learn {

std::string text_of(Day day) {
  const std::chrono::year_month_day date(day);
  return fmt::format("{:04}-{:02}-{:02}", int(date.year()), unsigned(date.month()), unsigned(date.day()));
}

std::optional<Day> day_of(std::string_view text) {
  if (text.size() != 10 || text[4] != '-' || text[7] != '-') return {};
  const auto year = parse_number<int>(text.substr(0, 4));
  const auto month = parse_number<unsigned>(text.substr(5, 2)), day = parse_number<unsigned>(text.substr(8));
  if (!year || *year < 0 || !month || !day) return {};
  const std::chrono::year_month_day date{std::chrono::year(*year), std::chrono::month(*month),
                                         std::chrono::day(*day)};
  return date.ok() ? std::optional(Day(date)) : std::nullopt;
}

Day today() {
  if (const char* const given = std::getenv("GLASSGRAD_TODAY")) {
    const auto day = day_of(given);
    check<UsageError>(day.has_value(), "GLASSGRAD_TODAY is a day like 2026-11-25, not '{}'",
                      printable(given));
    return *day;
  }
  const std::time_t now = std::time(nullptr);
  std::tm local{};
  if (!::localtime_r(&now, &local))
    return std::chrono::floor<std::chrono::days>(std::chrono::system_clock::now());
  return std::chrono::year_month_day{std::chrono::year(local.tm_year + 1900),
                                     std::chrono::month(unsigned(local.tm_mon) + 1),
                                     std::chrono::day(unsigned(local.tm_mday))};
}

}  // namespace glassgrad::learn
