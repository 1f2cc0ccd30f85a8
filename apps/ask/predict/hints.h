// Hints for a question, and the arithmetic that shows its answer afterwards.
#pragma once
#include <string>
#include <vector>

#include "apps/ask/predict/questions.h"

namespace glassgrad::learn {

// Returns three hints: the formula; the operands; the arithmetic without its last step. None contains the
// answer.
std::vector<std::string> hints_about(const Recording& recording, const Quantity& asked);
// Returns the arithmetic that ends at the answer, in lines; for a choice, why it is right.
std::string opened_answer(const Recording& recording, const Quantity& asked);
// Returns the right answer: "0.5517", "(6, 2)", "journey".
std::string answer_text(const Recording& recording, const Quantity& asked);

}  // namespace glassgrad::learn
