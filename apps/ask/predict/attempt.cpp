#include "apps/ask/predict/attempt.h"

#include <fmt/format.h>

#include "apps/ask/predict/slips.h"
#include "apps/cli/text_width.h"
#include "engine/io/utf8.h"

namespace glassgrad::learn {
namespace {

constexpr int kTries = 2;

}  // namespace

std::string Attempt::solution() const { return fmt::format("{} is {}.", asked_.name(), asked_.value_text()); }

std::string Attempt::reply(std::string_view line) {
  line = trimmed(line);
  if (line.empty()) {
    over_ = true;
    return solution();
  }
  const auto answer = parse_answer(line);
  if (!answer)
    return fmt::format("'{}' is no number: write {}; an empty line gives up.", printable(line), kAnswerForms);
  if (accepts(*answer, asked_)) {
    over_ = right_ = true;
    return "Right: " + solution();
  }
  over_ = ++tries_ >= kTries;
  const std::string slip = recognised(recording_, asked_, *answer);
  return fmt::format("No.{}{} {}", slip.empty() ? "" : " ", slip, over_ ? solution() : "One more try.");
}

}  // namespace glassgrad::learn
