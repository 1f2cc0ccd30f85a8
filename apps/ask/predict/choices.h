// Questions that are answered by choosing: the choices, and which one is right in the run.
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

  // Returns the choice that the answer means, by its text or its letter; none if it is no choice.
  std::optional<size_t> chosen(std::string_view answer) const;
};
std::string letter_of(size_t choice);  // "a", "b"

// Returns none if the question makes no sense: no softmax made the row, two numbers of the row are largest,
// there is no mask or a different one, or there are more than kMostChoices to choose from.
constexpr size_t kMostChoices = 8;
std::optional<Choices> choices_of(const Recording& recording, const Quantity& asked);

}  // namespace glassgrad::learn
