// What of a lesson is worth predicting: shapes of products, what a softmax favours and a mask decides,
// numbers that a step shows for the first time and that can be computed by hand from what was shown before,
// and what the lesson asks itself. Of a step in that order. The same recording gives the same questions.
#pragma once
#include <vector>

#include "apps/ask/predict/quantity.h"
#include "apps/show/render.h"

namespace glassgrad::learn {

enum class Ask : uint8_t {
  First,  // one question of each step that has something to ask
  Cells,  // several
  Exam,   // a fixed number, spread over all of them
};
constexpr size_t kExamQuestions = 10;

// A tensor that the answer is computed from.
struct Given {
  const Step* step;
  const Entry* entry;
};
struct Question {
  Quantity asked;
  std::vector<Given> given;
};

// The recording has kept its calls, and outlives the questions. Steps: those that are asked about.
std::vector<Question> questions(const Recording& recording, Steps steps, Ask ask);

}  // namespace glassgrad::learn
