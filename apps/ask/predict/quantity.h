// The quantities of a recording that can be asked for, and checks of answers. Besides cells,
// STEP:TENSOR[i,j], these are
//   STEP:TENSOR.sum(-1)[i]      the sum of a row
//   STEP:TENSOR.shape[k]        a size
//   STEP:TENSOR.shape           all sizes
//   STEP:TENSOR.argmax(-1)[i]   what the largest number of a row belongs to
//   STEP:TENSOR.fixed           the row of a softmax that no score can change, because a mask leaves it one
//   STEP:TENSOR.late_mask[i]    what a row would add to if the mask came after softmax
//   STEP:ask[k]                 a question of the lesson's own
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "apps/lesson/address.h"

namespace glassgrad::learn {

struct Quantity {
  enum class Kind : uint8_t { Cell, RowSum, Size, Shape, Largest, Fixed, LateMask, Written };
  Kind kind = Kind::Cell;
  // cell: for a row, its first cell; for sizes, empty. For Written there is no tensor.
  Address address = {};
  int dim = 0;  // for Size the dimension; for Written the number of the step's question

  bool operator==(const Quantity& other) const;
  bool is_number() const { return kind == Kind::Cell || kind == Kind::RowSum || kind == Kind::Size; }
  bool is_choice() const { return !is_number() && kind != Kind::Shape; }
  // The right answer as a number, and as PyTorch prints it. A shape has only the text.
  double value() const;
  std::string value_text() const;
  const StepQuestionText& written() const { return address.step->asks[size_t(dim)]; }
  // Returns "attn_weights[1,0]", "attn_weights.sum(-1)[1]", "keys.shape[2]"; text() has the step before it.
  std::string name() const;
  std::string text() const { return address.step->id + ":" + name(); }
};
std::string sizes_text(const Dims& shape);  // "(6, 2)"
// Throws UsageError if the text is not of these forms, or there is no such step, tensor, cell, row or
// dimension.
Quantity find_quantity(const Recording& recording, std::string_view text);

// A number as it was typed: "0.55", "-1e-3", "1/3", "-inf", "nan".
struct TypedNumber {
  double value = 0;
  double half_unit = 0;  // half a unit of the last digit; 0: not a decimal number, or too few digits
};
std::optional<TypedNumber> parse_answer(std::string_view text);
constexpr const char* kAnswerForms = "digits like 0.25, a fraction like 1/3, inf, -inf or nan";

// True if the answer is that number: within 2e-4, or equal when rounded to the digits that were typed (at
// least two). Sizes and integers must be exact.
bool accepts(const TypedNumber& answer, double value, bool exactly = false);
bool accepts(const TypedNumber& answer, const Quantity& asked);
// True if the answer is that number rounded to a single digit, which is too few.
bool is_one_digit_of(std::string_view answer, double value);

}  // namespace glassgrad::learn
