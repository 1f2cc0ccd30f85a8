#include "apps/ask/predict/attempt.h"

#include <fmt/core.h>

#include "apps/ask/predict/choices.h"
#include "apps/ask/predict/hints.h"
#include "apps/ask/predict/question_page.h"
#include "apps/ask/predict/slips.h"
#include "apps/cli/arguments.h"
#include "apps/cli/text_width.h"
#include "engine/core/utf8.h"

namespace glassgrad::learn {
namespace {

constexpr int kTries = 2;
constexpr size_t kFewChoices = 3;

// Reads "(6, 2)", "6 x 2", "6,2", "torch.Size([6, 2])"; returns none if it is no shape.
std::optional<Dims> parse_shape(std::string_view text) {
  constexpr std::string_view kSize = "torch.Size";
  if (text.starts_with(kSize)) text.remove_prefix(kSize.size());
  Dims shape;
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of("()[], x"), text.size()));
    if (text.empty()) return shape.n > 0 ? std::optional(shape) : std::nullopt;
    const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
    const auto size = parse_number<int64_t>(text.substr(0, end));
    if (!size || shape.n == kMaxDims) return {};
    shape.push(*size);
    text.remove_prefix(end);
  }
}

}  // namespace

Verdict judge(const Recording& recording, const Quantity& asked, std::string_view answer) {
  const auto verdict = [](bool right) { return right ? Verdict::Right : Verdict::Wrong; };
  if (asked.is_number()) {
    const auto number = parse_answer(answer);
    return number ? verdict(accepts(*number, asked)) : Verdict::NoAnswer;
  }
  if (asked.kind == Quantity::Kind::Shape) {
    const auto shape = parse_shape(answer);
    return shape ? verdict(*shape == asked.address.entry->value->shape()) : Verdict::NoAnswer;
  }
  const auto choices = choices_of(recording, asked);
  const auto chosen = choices ? choices->chosen(answer) : std::nullopt;
  return chosen ? verdict(*chosen == choices->right) : Verdict::NoAnswer;
}

std::string forms_of(const Quantity& asked) {
  if (asked.is_number()) return fmt::format("number: write {}", kAnswerForms);
  return asked.is_choice() ? "choice: write a letter, or what stands behind it"
                           : "shape: write all sizes, like (6, 2)";
}

std::string Attempt::solution() const {
  const auto choices = choices_of(recording_, asked_);
  if (!choices) return fmt::format("{} is {}.", asked_.name(), answer_text(recording_, asked_));
  const std::string& text = choices->texts[choices->right];
  return fmt::format("{}) {}{}", letter_of(choices->right), text, text.ends_with('.') ? "" : ".");
}

std::string Attempt::explanation() const {
  return over_ && !right_ ? wrapped(opened_answer(recording_, asked_)) : std::string();
}

std::string Attempt::hint() {
  const std::vector<std::string> hints = hints_about(recording_, asked_);
  if (hints.empty()) return "There is no hint.";
  const size_t which = std::min(hints_++, hints.size() - 1);
  const std::string& text = hints[which];
  return wrapped(fmt::format("Hint {} of {}:{}{}", which + 1, hints.size(),
                             text.find('\n') == text.npos ? " " : "\n", text));
}

int Attempt::most_tries() const {
  const auto choices = choices_of(recording_, asked_);
  return choices && choices->texts.size() <= kFewChoices ? 1 : kTries;
}

std::string Attempt::reply(std::string_view line) {
  line = trimmed(line);
  if (line == kHintKey) return hint();
  if (line.empty()) {
    over_ = true;
    return (asked_.is_choice() ? "It is " : "") + solution();
  }
  const Verdict verdict = judge(recording_, asked_, line);
  if (verdict == Verdict::NoAnswer)
    return fmt::format("'{}' is no {}. ? gives a hint, an empty line gives up.", printable(line),
                       forms_of(asked_));
  if (verdict == Verdict::Right) {
    over_ = right_ = true;
    return "Right: " + solution();
  }
  if (asked_.is_number() && asked_.kind != Quantity::Kind::Size && is_one_digit_of(line, asked_.value()))
    return "Right as far as that goes: write two digits at least.";
  over_ = ++tries_ >= most_tries();
  const auto number = asked_.is_number() ? parse_answer(line) : std::nullopt;
  const std::string slip = number ? recognised(recording_, asked_, *number) : "";
  return fmt::format(
      "No.{}{} {}", slip.empty() ? "" : " ", slip,
      over_ ? (asked_.is_choice() ? "It is " : "") + solution() : "One more try; ? gives a hint.");
}

}  // namespace glassgrad::learn
