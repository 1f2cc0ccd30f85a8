// What can be asked about a recording, and answers to it. Beside cells, STEP:TENSOR[i,j], these are
// STEP:TENSOR.sum(-1)[i], the sum of a row, and STEP:TENSOR.shape[k], a size.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "apps/lesson/address.h"

namespace glassgrad::learn {

struct Quantity {
  enum class Kind : uint8_t { Cell, RowSum, Size };
  Kind kind = Kind::Cell;
  Address address = {};  // of a row sum the cell is where the row begins; of a size it is empty
  int dim = 0;           // of a size

  bool operator==(const Quantity& other) const;
  // The right answer, and as PyTorch prints it.
  double value() const;
  std::string value_text() const;
  // "attn_weights[1,0]", "attn_weights.sum(-1)[1]", "keys.shape[2]"; the address has the step before it.
  std::string name() const;
  std::string text() const { return address.step->id + ":" + name(); }
};
// UsageError: not of these forms, or there is no such step, tensor, cell, row or dimension.
Quantity find_quantity(const Recording& recording, std::string_view text);

// A number as somebody has written it: "0.55", "-1e-3", "1/3", "-inf", "nan".
struct Answer {
  double value = 0;
  double half_unit = 0;  // of the last digit that was written; 0: too few digits to round to
};
std::optional<Answer> parse_answer(std::string_view text);
constexpr const char* kAnswerForms = "digits like 0.25, a fraction like 1/3, inf, -inf or nan";

// Is it that number? Within 2e-4, or rounded to the digits that were written, at least two of them. Sizes and
// tensors of integers are to be met exactly.
bool accepts(const Answer& answer, double value, bool exactly = false);
bool accepts(const Answer& answer, const Quantity& asked);

}  // namespace glassgrad::learn
