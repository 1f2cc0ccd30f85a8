// What helps with a question, and what shows its answer afterwards.
#pragma once
#include <string>
#include <vector>

#include "apps/ask/predict/questions.h"

namespace glassgrad::learn {

// Three: the formula; the numbers that go in; the arithmetic but for its last step. The answer is in none.
std::vector<std::string> hints_about(const Recording& recording, const Quantity& asked);
// The arithmetic that ends at the answer, in lines; of a choice why it is right.
std::string opened_answer(const Recording& recording, const Quantity& asked);
// The right answer: "0.5517", "(6, 2)", "journey".
std::string answer_text(const Recording& recording, const Quantity& asked);

}  // namespace glassgrad::learn
