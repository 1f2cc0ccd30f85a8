// Multiple-choice questions: the choices, and which one is right in the run.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "apps/ask/predict/quantity.h"

namespace glassgrad::learn {

struct Choices {
  std::string question;
  std::vector<std::string> texts;  // no two are equal
  size_t right = 0;
  std::vector<std::string> hints;  // kHints of them
  std::string why;                 // why the right one is right

  // Returns the choice that the answer names by its text or its letter; none if it is not a choice.
  std::optional<size_t> chosen(std::string_view answer) const;
};
std::string letter_of(size_t choice);  // "a", "b"

// Returns none if the question does not apply: no softmax made the row, the row has two largest numbers,
// there is no mask or one of a different kind, or there would be more than kMostChoices choices.
constexpr size_t kMostChoices = 8;
std::optional<Choices> choices_of(const Recording& recording, const Quantity& asked);

}  // namespace glassgrad::learn
