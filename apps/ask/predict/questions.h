// The questions that are worth asking about a lesson, for each step in this order: the lesson's own; shapes
// of products; what a softmax favours and a mask decides; numbers that the step is the first to show and that
// can be computed by hand from what was shown before. The same recording gives the same questions.
#pragma once
#include <vector>

#include "apps/ask/predict/quantity.h"
#include "apps/show/render.h"

namespace glassgrad::learn {

enum class QuizMode : uint8_t {
  First,  // one question of each step that has something to ask
  Cells,  // several questions of each step
  Exam,   // kExamQuestions, spread over all questions
};
constexpr size_t kExamQuestions = 10;

// A tensor that the answer is computed from.
struct AnswerOperand {
  const Step* step;
  const Entry* entry;
};
struct Question {
  Quantity asked;
  std::vector<AnswerOperand> given;
};

// The recording has kept its calls, and outlives the questions. steps: the steps to ask about.
std::vector<Question> questions(const Recording& recording, Steps steps, QuizMode mode);

}  // namespace glassgrad::learn
