// Questions that are answered by choosing: what there is to choose from, and what is right, as the run has
// it.
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
  std::string why;                 // the right one is

  // The choice that is meant by its text or its letter; none: it is no choice.
  std::optional<size_t> chosen(std::string_view answer) const;
};
std::string letter_of(size_t choice);  // "a", "b"

// None where the question makes no sense: no softmax made the row, two numbers of it are largest, there is no
// mask or another one, or there are more than kMostChoices rows.
constexpr size_t kMostChoices = 8;
std::optional<Choices> choices_of(const Recording& recording, const Quantity& asked);

}  // namespace glassgrad::learn
